/** The events of an answer's stream, and what each does to the turn as it is shown. */

import { codePointLength, sliceByCodePoints } from "@/shared/lib/codepoints";
import type { Citation, Problem, Turn } from "@/shared/api/types";

export type Done = Pick<
  Turn,
  "answer" | "citations" | "sources" | "checks" | "coverage" | "reply_kind" | "pending_sources" | "degraded" | "usage" | "timing" | "closest" | "carried" | "fallback" | "cards" | "drew_on" | "asked_of" | "route"
> & { turn_id: string; finish: "complete" | "stopped" | "broken" };

export interface StreamError extends Problem {
  retryable?: boolean;
  retry_after_s?: number | null;
}

export type AnswerEvent =
  | { type: "open"; turn_id: string; conversation_id: string; passages: number; coverage?: string | null; route?: Record<string, unknown> | null }
  | { type: "stage"; name: string; citations?: number; passages?: number; count?: number }
  | { type: "token"; text: string; at: number }
  | ({ type: "citation" } & Citation)
  | ({ type: "done" } & Done)
  | ({ type: "error" } & StreamError);

const KNOWN = new Set(["open", "stage", "token", "citation", "done", "error"]);

/** The event of a frame, or null for one that this page does not know (a newer gateway may send more). */
export function eventOf(name: string, text: string): AnswerEvent | null {
  if (!KNOWN.has(name)) return null;
  return { ...(JSON.parse(text) as object), type: name } as AnswerEvent;
}

export type Phase = "searching" | "reading" | "writing" | "checking" | "ended";

/** A turn that is being answered. `points` is the length of `text` in code points, in which the stream counts. */
export interface Growing {
  readonly phase: Phase;
  readonly turnId: string | null;
  readonly conversationId: string | null;
  readonly passages: number | null;
  readonly route: Record<string, unknown> | null;
  readonly text: string;
  readonly points: number;
  /** A piece came from further on than what is here: the row must fill the gap. */
  readonly hasGap: boolean;
  readonly citations: Citation[];
  readonly done: Done | null;
  readonly error: StreamError | null;
}

export const EMPTY: Growing = {
  phase: "searching", turnId: null, conversationId: null, passages: null, route: null, text: "", points: 0, hasGap: false, citations: [], done: null, error: null,
};

function grow(turn: Growing, piece: string, at: number): Growing {
  if (at > turn.points) return { ...turn, hasGap: true };
  const length = codePointLength(piece);
  const known = turn.points - at;
  // A resumed stream may repeat what is here already; only what is new is taken.
  if (known >= length) return turn;
  const fresh = known === 0 ? piece : sliceByCodePoints(piece, known, length);
  return { ...turn, phase: "writing", text: turn.text + fresh, points: at + length };
}

function withCitation(turn: Growing, citation: Citation): Growing {
  const others = turn.citations.filter((known) => known.n !== citation.n);
  return { ...turn, citations: [...others, citation].sort((a, b) => a.n - b.n) };
}

function staged(turn: Growing, name: string): Growing {
  const order: readonly Phase[] = ["searching", "reading", "writing", "checking"];
  const next = order.find((phase) => phase === name);
  // A resumed stream tells old stages again; the words shown never go back.
  return next && order.indexOf(next) > order.indexOf(turn.phase) ? { ...turn, phase: next } : turn;
}

/** The turn after an event. Pure; an event after the end changes nothing. */
export function apply(turn: Growing, event: AnswerEvent): Growing {
  if (turn.phase === "ended") return turn;
  switch (event.type) {
    case "open": {
      const opened = { ...turn, turnId: event.turn_id, conversationId: event.conversation_id, passages: event.passages, route: event.route ?? null };
      return staged(opened, "reading");
    }
    case "stage":
      return staged(turn, event.name);
    case "token":
      return grow(turn, event.text, event.at);
    case "citation":
      return withCitation(turn, event);
    case "done": {
      const text = event.answer ?? turn.text;
      return { ...turn, phase: "ended", text, points: codePointLength(text), hasGap: false, citations: event.citations, done: event };
    }
    case "error":
      return { ...turn, phase: "ended", error: event };
  }
}
