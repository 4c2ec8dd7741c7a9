/** The conversation: asks, follows streams through broken connections, and tells whoever shows it what changed. */

import { apply, EMPTY, eventOf, type Growing } from "@/features/chat/lib/events";
import { framesOf } from "@/features/chat/lib/sse";
import { isGone, waitBefore } from "@/features/chat/lib/waits";
import type { Turn } from "@/shared/api/types";
import { uuid } from "@/shared/lib/ids";
import { Refused, type Ended, type Message, type WidgetApi } from "./contract";

const TRIES = 12; // about a minute and a half without a connection
const RUNNING = new Set(["queued", "running"]);
const HISTORY = 12; // messages sent along where the server keeps none
const HISTORY_CHARS = 8000; // of one message

export interface Shown {
  readonly key: string;
  readonly question: string;
  readonly growing: Growing;
  readonly ended: Ended | null;
  readonly isAway: boolean;
  readonly rated: 1 | 0 | -1;
}

/** The end of a stored turn; null while it is being answered. */
export function endedOf(turn: Turn): Ended | null {
  if (RUNNING.has(turn.status)) return null;
  return { ...turn, turn_id: turn.id, finish: turn.finish ?? "broken", answer: turn.answer ?? "", closest: turn.closest ?? [], cards: turn.cards ?? [], route: turn.route ?? null };
}

function shownOf(turn: Turn): Shown {
  const rated = typeof turn.feedback === "number" ? turn.feedback : (turn.feedback?.value ?? 0);
  const ended = endedOf(turn);
  const growing: Growing = { ...EMPTY, turnId: turn.id, citations: turn.citations, phase: ended ? "ended" : "searching", text: ended?.answer ?? "" };
  return { key: turn.id, question: turn.question, growing, ended, isAway: false, rated: rated === 1 || rated === -1 ? rated : 0 };
}

/** What a running stream may do to its turn: nothing once the conversation was begun anew. */
interface Reach {
  lastId: string;
  isLeft: boolean;
}

export class Talk {
  turns: readonly Shown[] = [];
  private reach: Reach | null = null;
  /** Called with the newest state after each change. */
  onChange: () => void = () => undefined;
  /** Called when a turn has ended with an answer. */
  onEnd: (turn: Shown) => void = () => undefined;

  constructor(
    private readonly api: WidgetApi,
    private readonly keeps: () => boolean,
  ) {}

  get running(): Shown | null {
    const last = this.turns[this.turns.length - 1];
    return last && last.growing.phase !== "ended" ? last : null;
  }

  /** The stored conversation; one that is still answered is followed. */
  async load(): Promise<void> {
    const turns = await this.api.conversation();
    // Somebody may have been quicker and asked: what they asked is followed already.
    const isQuicker = this.turns.length > 0;
    const known = new Set(this.turns.map((turn) => turn.growing.turnId));
    const stored = turns.map(shownOf).filter((turn) => !isQuicker || (turn.ended !== null && !known.has(turn.key)));
    this.turns = [...stored, ...this.turns];
    this.onChange();
    if (isQuicker) return;
    const running = this.running;
    if (running?.growing.turnId) await this.stay(running.key, { lastId: "", isLeft: false });
  }

  /** Asks and follows the answer to its end. A refusal is thrown, and the question is taken back. */
  async ask(question: string): Promise<void> {
    const key = uuid();
    const history = this.keeps() ? null : this.history();
    this.turns = [...this.turns, { key, question, growing: EMPTY, ended: null, isAway: false, rated: 0 }];
    this.onChange();
    const reach: Reach = { lastId: "", isLeft: false };
    this.reach = reach;
    try {
      await this.first(key, question, history, reach);
    } catch (error) {
      this.remove(key);
      throw error;
    }
    await this.stay(key, reach);
  }

  /** Until the turn has a name: the same key can never ask twice. */
  private async first(key: string, question: string, history: readonly Message[] | null, reach: Reach): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        await this.read(key, await this.api.ask(question, history, key), reach);
      } catch (error) {
        if (error instanceof Refused && error.status !== 0 && error.code !== "first_event_timeout") throw error;
        if (tries >= TRIES) throw error;
        this.change(key, { isAway: true });
      }
      const turn = this.find(key);
      if (!turn || reach.isLeft || turn.growing.turnId) return;
      if (turn.growing.error) throw new Refused(503, turn.growing.error.code, turn.growing.error.message);
      await waitBefore(tries);
    }
  }

  private async stay(key: string, reach: Reach): Promise<void> {
    this.reach = reach;
    for (let tries = 0; tries < TRIES; ) {
      const before = this.followed(key, reach);
      if (!before) return;
      try {
        await this.goOn(key, before, reach);
      } catch (error) {
        if (error instanceof Refused && isGone(error.status)) return this.breakOff(key, error);
        this.change(key, { isAway: true });
      }
      const after = this.followed(key, reach);
      tries = after && after.growing.points > before.growing.points ? 0 : tries + 1;
      if (after) await waitBefore(tries);
    }
    if (this.followed(key, reach)) this.breakOff(key, new Refused(0, "offline", ""));
  }

  /** The turn while it is written and has a name; null when there is nothing to wait for any more. */
  private followed(key: string, reach: Reach): Shown | null {
    const turn = this.find(key);
    return turn && !reach.isLeft && turn.growing.phase !== "ended" && turn.growing.turnId ? turn : null;
  }

  private async goOn(key: string, { growing }: Shown, reach: Reach): Promise<void> {
    // A piece is missing: the stream is told from its start again, and pieces that are here are passed over.
    if (growing.hasGap) {
      reach.lastId = "";
      this.change(key, { growing: { ...growing, hasGap: false } });
    }
    await this.read(key, await this.api.events(growing.turnId ?? "", reach.lastId), reach);
  }

  private async read(key: string, response: Response, reach: Reach): Promise<void> {
    if (!response.body) return;
    for await (const frame of framesOf(response.body)) {
      if (reach.isLeft) return;
      if (frame.id) reach.lastId = frame.id;
      const event = eventOf(frame.event, frame.text);
      const turn = this.find(key);
      if (!turn) return;
      if (event) this.grown(key, apply(turn.growing, event));
      const growing = this.find(key)?.growing;
      if (!growing || growing.phase === "ended" || growing.hasGap) return;
    }
  }

  private grown(key: string, growing: Growing): void {
    const { done, error } = growing;
    // An error before the turn has a name is a refusal: `first` takes the question back.
    if (error && !growing.turnId) return this.change(key, { growing: { ...growing, phase: "searching" } });
    const broken: Ended | null = error ? { ...NOTHING, turn_id: growing.turnId ?? "", answer: growing.text, citations: growing.citations } : null;
    const ended = done ? { ...done, route: done.route ?? growing.route } : broken;
    this.change(key, { growing, ended, isAway: false });
    const turn = this.find(key);
    if (ended && turn) this.onEnd(turn);
  }

  private breakOff(key: string, error: Refused): void {
    const turn = this.find(key);
    if (turn) this.grown(key, { ...turn.growing, phase: "ended", error: { code: error.code, message: error.message } });
  }

  /** The text stays; nothing is asked of a turn that has no name yet but to be forgotten. */
  async stop(): Promise<void> {
    const turn = this.running;
    if (!turn) return;
    if (turn.growing.turnId) await this.api.stop(turn.growing.turnId);
    else {
      if (this.reach) this.reach.isLeft = true;
      this.remove(turn.key);
    }
  }

  async rate(key: string, value: 1 | 0 | -1): Promise<void> {
    const turn = this.find(key);
    if (!turn?.ended) return;
    this.change(key, { rated: value });
    try {
      await this.api.rate(turn.ended.turn_id, value);
    } catch (error) {
      this.change(key, { rated: turn.rated });
      throw error;
    }
  }

  async reset(): Promise<void> {
    await this.api.reset();
    if (this.reach) this.reach.isLeft = true;
    this.turns = [];
    this.onChange();
  }

  private history(): Message[] {
    const told = this.turns.filter((turn) => turn.ended?.finish === "complete" && turn.ended.answer);
    const messages = told.flatMap((turn): Message[] => [
      { role: "user", content: turn.question.slice(0, HISTORY_CHARS) },
      { role: "assistant", content: (turn.ended?.answer ?? "").slice(0, HISTORY_CHARS) },
    ]);
    return messages.slice(-HISTORY);
  }

  private find(key: string): Shown | null {
    return this.turns.find((turn) => turn.key === key) ?? null;
  }

  private change(key: string, fields: Partial<Shown>): void {
    this.turns = this.turns.map((turn) => (turn.key === key ? { ...turn, ...fields } : turn));
    this.onChange();
  }

  private remove(key: string): void {
    this.turns = this.turns.filter((turn) => turn.key !== key);
    this.onChange();
  }
}

const NOTHING: Omit<Ended, "turn_id"> = {
  finish: "broken", answer: "", citations: [], sources: [], checks: null, coverage: null, closest: [], cards: [], fallback: false, route: null,
};
