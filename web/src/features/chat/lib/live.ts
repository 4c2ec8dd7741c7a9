/** Turns that are being answered: one store for the page, so that an answer goes on while its chat is out of sight. */

import type { AskRequest, ChatTurn } from "./request";
import { EMPTY, type Growing } from "./events";
import type { ApiError } from "@/shared/api/client";

/** A question on its way to an answer, as the chat shows it. Immutable; a new object for every painted change. */
export interface LiveTurn {
  /** Stable from the press on Ask to the stored turn, so that nothing on the page is built twice. */
  readonly key: string;
  readonly request: AskRequest;
  readonly growing: Growing;
  /** The stored row, when it had to be read in place of the stream's end. */
  readonly row: ChatTurn | null;
  readonly isAway: boolean;
  readonly isStopping: boolean;
  readonly createdAt: string;
}

/** A question that was not taken: it goes back into the box, with the reason. */
export interface Refusal {
  readonly notebookId: string;
  readonly question: string;
  readonly error: ApiError | null;
  readonly at: number;
}

type Tell = () => void;

export class LiveTurns {
  private turns: readonly LiveTurn[] = [];
  private refusal: Refusal | null = null;
  private readonly waiting = new Map<string, LiveTurn>();
  private readonly keys = new Map<string, string>();
  private readonly tells = new Set<Tell>();
  private frame = 0;

  readonly subscribe = (tell: Tell): Tell => {
    this.tells.add(tell);
    return () => this.tells.delete(tell);
  };
  readonly all = (): readonly LiveTurn[] => this.turns;
  readonly refused = (): Refusal | null => this.refusal;

  /** The key a stored turn is shown under: the one it had while it was live. */
  keyOf(turnId: string): string {
    return this.keys.get(turnId) ?? turnId;
  }

  find(key: string): LiveTurn | undefined {
    return this.waiting.get(key) ?? this.turns.find((turn) => turn.key === key);
  }

  byTurn(turnId: string): LiveTurn | undefined {
    return this.turns.find((turn) => turn.growing.turnId === turnId);
  }

  add(key: string, request: AskRequest, growing: Partial<Growing> = {}, createdAt = new Date().toISOString()): LiveTurn {
    const turn: LiveTurn = {
      key, request, growing: { ...EMPTY, ...growing }, row: null, isAway: false, isStopping: false, createdAt,
    };
    this.refusal = null;
    this.turns = [...this.turns, turn];
    this.remember(turn);
    this.tell();
    return turn;
  }

  /** Changes a turn; however often it is called, the page is painted once a frame. */
  change(key: string, change: (turn: LiveTurn) => LiveTurn): void {
    const turn = this.find(key);
    if (!turn) return;
    const next = change(turn);
    if (next === turn) return;
    this.remember(next);
    this.waiting.set(key, next);
    if (next.growing.phase === "ended") this.flush();
    else this.schedule();
  }

  remove(key: string): void {
    this.waiting.delete(key);
    this.turns = this.turns.filter((turn) => turn.key !== key);
    this.tell();
  }

  refuse(refusal: Refusal | null): void {
    this.refusal = refusal;
    this.tell();
  }

  private remember(turn: LiveTurn): void {
    if (turn.growing.turnId) this.keys.set(turn.growing.turnId, turn.key);
  }

  private schedule(): void {
    if (this.frame !== 0) return;
    // A hidden tab gets no frames; its store must still move on.
    this.frame = document.hidden ? window.setTimeout(this.flush, 250) : requestAnimationFrame(this.flush);
  }

  private readonly flush = (): void => {
    this.frame = 0;
    if (this.waiting.size === 0) return;
    this.turns = this.turns.map((turn) => this.waiting.get(turn.key) ?? turn);
    this.waiting.clear();
    this.tell();
  };

  private tell(): void {
    for (const tell of this.tells) tell();
  }
}

/** The page's live turns. */
export const live = new LiveTurns();

/** Live turns of one conversation, or of the new chat of a notebook (no conversation yet). */
export function ofConversation(turns: readonly LiveTurn[], notebookId: string, conversationId: string | null): readonly LiveTurn[] {
  return turns.filter((turn) => {
    const own = turn.growing.conversationId ?? turn.request.conversationId;
    return turn.request.notebookId === notebookId && own === conversationId;
  });
}
