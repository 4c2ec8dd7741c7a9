/** What a question carries, and the turn that a finished stream leaves behind. */

import type { Turn } from "@/shared/api/types";
import type { Done, Growing } from "./events";

/** The same answer in fewer or in more words. */
export type AnswerStyle = "shorter" | "longer";

export interface AskRequest {
  readonly notebookId: string;
  readonly conversationId: string | null;
  readonly question: string;
  /** Null: every source of the notebook. */
  readonly sourceIds: readonly string[] | null;
  readonly replaces: string | null;
  readonly style?: AnswerStyle | null;
}

/** A turn as the page keeps it: with the version it replaces, where there is one. */
export type ChatTurn = Turn & { replaces?: string | null };

export function askBody(request: AskRequest): Record<string, unknown> {
  return {
    question: request.question,
    ...(request.conversationId ? { conversation_id: request.conversationId } : {}),
    ...(request.sourceIds ? { source_ids: request.sourceIds } : {}),
    ...(request.replaces ? { replaces: request.replaces } : {}),
    ...(request.style ? { style: request.style } : {}),
  };
}

function statusOf(growing: Growing): Turn["status"] {
  if (growing.phase !== "ended") return "running";
  if (growing.error) return "failed";
  return growing.done?.finish === "stopped" ? "stopped" : "done";
}

const NOTHING_TOLD: Omit<Done, "turn_id" | "finish" | "answer" | "citations"> = {
  sources: [], checks: null, coverage: null, reply_kind: null, pending_sources: null, degraded: [], usage: null, timing: null, closest: null, route: null,
};

/** The turn as its row will say it; what a stream does not tell stays empty until the row is read. */
export function turnOf(request: AskRequest, growing: Growing, id: string, createdAt: string): ChatTurn {
  const { done, error } = growing;
  return {
    ...NOTHING_TOLD,
    ...done,
    id,
    conversation_id: growing.conversationId ?? request.conversationId ?? "",
    notebook_id: request.notebookId,
    question: request.question,
    status: statusOf(growing),
    finish: error ? "broken" : (done?.finish ?? null),
    answer: growing.text,
    citations: growing.citations, // the same array: marks are drawn anew only when it changes
    route: growing.route,
    error: error ? { code: error.code, message: error.message } : null,
    in_history: done?.finish === "complete",
    created_at: createdAt,
    feedback: null,
    replaces: request.replaces,
  };
}

/** The growing state a stored turn stands for: where a stream that is taken up again begins. */
export function growingOf(turn: ChatTurn): Partial<Growing> {
  return { turnId: turn.id, conversationId: turn.conversation_id };
}
