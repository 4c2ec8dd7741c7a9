/** One question asked of each source by itself, one after another, each answer kept as a version in a conversation of its own. */

import { ApiError, api } from "@/shared/api/client";
import type { Source } from "@/shared/api/types";
import { uuid } from "@/shared/lib/ids";
import { ask, stop } from "./ask";
import { LiveTurns } from "./live";
import { turnOf, type ChatTurn } from "./request";

/** Asked without another yes; what is beyond that waits for one, because each question may cost. */
export const ROUND = 20;

export interface EachRow {
  readonly source: Source;
  /** The turn as it is, or nothing while it waits. */
  readonly key: string | null;
  readonly turn: ChatTurn | null;
}

export interface EachState {
  readonly rows: readonly EachRow[];
  readonly isRunning: boolean;
  readonly conversation: string | null;
  readonly refused: ApiError | null;
}

/** The sources that a question can be asked of: given in the notebook and readable. */
export function askable(sources: readonly Source[]): readonly Source[] {
  return sources.filter((source) => source.grant !== "paused" && source.searchable !== "none");
}

/** Asks one after another; `tell` is called after every change. Bounded by `ROUND` a start, stoppable, never two at once. */
export class EachRun {
  private readonly store = new LiveTurns();
  private state: EachState;
  private last: string | null = null;
  private isStopped = false;

  constructor(
    private readonly notebookId: string,
    private readonly question: string,
    private readonly name: string,
    sources: readonly Source[],
    private readonly tell: (state: EachState) => void,
  ) {
    this.state = { rows: sources.map((source) => ({ source, key: null, turn: null })), isRunning: false, conversation: null, refused: null };
    this.store.subscribe(() => this.show());
  }

  now(): EachState {
    return this.state;
  }

  /** Asks the next round; resolves when it is through, stopped or refused. */
  async start(): Promise<void> {
    if (this.state.isRunning) return;
    this.isStopped = false;
    this.set({ isRunning: true, refused: null });
    for (let asked = 0; asked < ROUND && !this.isStopped && !this.state.refused; asked += 1) {
      const next = this.state.rows.findIndex((row) => row.key === null);
      if (next < 0) break;
      await this.askOne(next);
    }
    this.set({ isRunning: false });
  }

  /** Ends the running answer; what was answered stays. */
  async stop(): Promise<void> {
    this.isStopped = true;
    const running = this.state.rows.find((row) => row.key !== null && row.turn?.status === "running");
    if (running?.key) await stop(this.store, running.key);
  }

  private async askOne(at: number): Promise<void> {
    const row = this.state.rows[at];
    if (!row) return;
    const key = uuid();
    const request = { notebookId: this.notebookId, conversationId: this.state.conversation, question: this.question, sourceIds: [row.source.id], replaces: this.last };
    this.change(at, { ...row, key, turn: null });
    this.store.add(key, request);
    await ask({ store: this.store, key, onEnd: () => undefined }, request);
    const ended = this.store.find(key);
    if (!ended) {
      this.change(at, { ...row, key: null, turn: null });
      this.set({ refused: this.store.refused()?.error ?? null });
      this.isStopped = true;
      return;
    }
    this.show();
    this.last = ended.growing.turnId ?? this.last;
    await this.nameIt(ended.growing.conversationId);
  }

  /** The first answer began the conversation; it is named so that the list tells it from an ordinary one. */
  private async nameIt(conversation: string | null): Promise<void> {
    if (!conversation || this.state.conversation) return;
    this.set({ conversation });
    try {
      await api.patch(`/conversations/${conversation}`, { title: this.name });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // the name is a comfort: without it the question stands there
    }
  }

  private show(): void {
    const rows = this.state.rows.map((row) => {
      const live = row.key ? this.store.find(row.key) : undefined;
      return live ? { ...row, turn: live.row ?? turnOf(live.request, live.growing, live.growing.turnId ?? live.key, live.createdAt) } : row;
    });
    this.set({ rows });
  }

  private change(at: number, row: EachRow): void {
    this.set({ rows: this.state.rows.with(at, row) });
  }

  private set(part: Partial<EachState>): void {
    this.state = { ...this.state, ...part };
    this.tell(this.state);
  }
}
