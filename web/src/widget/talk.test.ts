import { describe, expect, it, vi } from "vitest";
import type { Turn } from "@/shared/api/types";
import { Refused, type Message, type WidgetApi } from "./contract";
import { Talk } from "./talk";

const frame = (id: number, event: string, told: object): string => `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(told)}\n\n`;
const OPEN = frame(1, "open", { turn_id: "t1", conversation_id: "c1", passages: 2 });
const DONE = { turn_id: "t1", finish: "complete", citations: [], sources: [], checks: null, cards: [], closest: [], route: { intent: "question" } };

/** A stream of these frames; `breaks`: then the connection is lost. */
function stream(frames: string[], breaks = false): Response {
  const bytes = frames.map((one) => new TextEncoder().encode(one));
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = bytes.shift();
      if (next) controller.enqueue(next);
      else if (breaks) controller.error(new Error("lost"));
      else controller.close();
    },
  });
  return new Response(body);
}

function apiOf(over: Partial<WidgetApi>): WidgetApi {
  const never = (): Promise<never> => Promise.reject(new Error("not asked for"));
  return { meet: never, conversation: () => Promise.resolve([]), ask: never, events: never, stop: never, rate: never, reset: () => Promise.resolve(), isAnonymous: () => true, handOver: never, ...over };
}

describe("a conversation of the widget", () => {
  it("a broken stream is gone on with after its last event, and no word comes twice", async () => {
    const asked: string[] = [];
    const talk = new Talk(
      apiOf({
        ask: () => Promise.resolve(stream([OPEN, frame(2, "token", { text: "The lake ", at: 0 })], true)),
        events: (_, lastId) => {
          asked.push(lastId);
          return Promise.resolve(stream([frame(2, "token", { text: "The lake ", at: 0 }), frame(3, "token", { text: "is deep.", at: 9 }), frame(4, "done", { ...DONE, answer: "The lake is deep." })]));
        },
      }),
      () => true,
    );
    await talk.ask("How deep?");
    expect(asked).toEqual(["2"]);
    expect(talk.turns[0]?.ended?.answer).toBe("The lake is deep.");
    expect(talk.turns[0]?.growing.text).toBe("The lake is deep.");
  });

  it("a refused question is taken back and the refusal is told", async () => {
    const talk = new Talk(apiOf({ ask: () => Promise.reject(new Refused(429, "too_many", "Later.", 40)) }), () => true);
    await expect(talk.ask("How deep?")).rejects.toMatchObject({ status: 429, retryAfterS: 40 });
    expect(talk.turns).toEqual([]);
  });

  it("without a connection the question is asked again under the same key", async () => {
    const keys: string[] = [];
    const ask = (_: string, __: unknown, key: string): Promise<Response> => {
      keys.push(key);
      return keys.length === 1 ? Promise.reject(new Refused(0, "offline", "")) : Promise.resolve(stream([OPEN, frame(2, "done", { ...DONE, answer: "Deep." })]));
    };
    const talk = new Talk(apiOf({ ask }), () => true);
    await talk.ask("How deep?");
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
    expect(talk.turns).toHaveLength(1);
  });

  it("what was said is sent along only where the server keeps nothing", async () => {
    const histories: (readonly Message[] | null)[] = [];
    const ask = (_: string, history: readonly Message[] | null): Promise<Response> => {
      histories.push(history);
      return Promise.resolve(stream([OPEN, frame(2, "done", { ...DONE, answer: "Deep." })]));
    };
    let keeps = false;
    const talk = new Talk(apiOf({ ask }), () => keeps);
    await talk.ask("How deep?");
    await talk.ask("And wide?");
    keeps = true;
    await talk.ask("And old?");
    expect(histories).toEqual([[], [{ role: "user", content: "How deep?" }, { role: "assistant", content: "Deep." }], null]);
  });

  it("begin anew leaves a stream that is still written", async () => {
    const talk = new Talk(apiOf({ ask: () => Promise.resolve(stream([OPEN, frame(2, "token", { text: "The", at: 0 })])), events: () => new Promise(() => undefined) }), () => true);
    void talk.ask("How deep?");
    await vi.waitFor(() => expect(talk.running?.growing.turnId).toBe("t1"));
    await talk.reset();
    expect(talk.turns).toEqual([]);
  });

  it("a stored turn that broke off is shown as broken", async () => {
    const row = { id: "t9", question: "Q", status: "failed", finish: null, answer: "Half", citations: [], feedback: null } as unknown as Turn;
    const talk = new Talk(apiOf({ conversation: () => Promise.resolve([row]) }), () => true);
    await talk.load();
    expect(talk.turns[0]?.ended).toMatchObject({ finish: "broken", answer: "Half", turn_id: "t9" });
  });
});
