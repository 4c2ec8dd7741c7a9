import { afterEach, describe, expect, it, vi } from "vitest";
import { ask, stop, type Following } from "./ask";
import { LiveTurns } from "./live";
import type { AskRequest } from "./request";

/** The gateway's side of the wire: each request takes the next answer. */
type Answer = (url: string, init: RequestInit) => Response | Promise<Response>;

const request: AskRequest = { notebookId: "n", conversationId: null, question: "Why?", sourceIds: null, replaces: null };
const frame = (id: number, event: string, data: unknown): string => `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const open = frame(1, "open", { turn_id: "t", conversation_id: "c", passages: 8 });
const done = (id: number, answer: string): string =>
  frame(id, "done", { turn_id: "t", finish: "complete", answer, citations: [], checks: null, sources: [], degraded: [] });

function streamOf(text: string): Response {
  return new Response(text, { status: 200, headers: { "Content-Type": "text/event-stream" } });
}

/** A stream that breaks off after `text`, as a lost connection does. */
function brokenOff(text: string): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
    },
    pull(controller) {
      controller.error(new TypeError("network"));
    },
  });
  return new Response(body, { status: 200 });
}

const refusal = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify({ error: { code, message: "No.", request_id: "r" } }), { status, headers });

function wire(answers: Answer[]) {
  const seen: { url: string; headers: Record<string, string>; body: unknown }[] = [];
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    seen.push({ url, headers: init.headers as Record<string, string>, body: init.body ? JSON.parse(init.body as string) : null });
    const next = answers[seen.length - 1];
    if (!next) throw new Error(`a request too many: ${url}`);
    return next(url, init);
  });
  return seen;
}

function begin(): { store: LiveTurns; follow: Following; ended: string[] } {
  const store = new LiveTurns();
  const ended: string[] = [];
  store.add("k", request);
  return { store, ended, follow: { store, key: "k", onEnd: (key) => ended.push(key) } };
}

afterEach(() => vi.unstubAllGlobals());

describe("asking", () => {
  it("follows the stream to its end", async () => {
    const seen = wire([() => streamOf(open + frame(2, "token", { text: "Be", at: 0 }) + frame(3, "token", { text: "cause.", at: 2 }) + done(4, "Because."))]);
    const { store, follow, ended } = begin();
    await ask(follow, request);
    expect(store.find("k")?.growing).toMatchObject({ phase: "ended", text: "Because.", turnId: "t", conversationId: "c" });
    expect(ended).toEqual(["k"]);
    expect(seen[0]?.body).toEqual({ question: "Why?" });
  });

  it("a stream that broke off goes on where it was, no word twice", async () => {
    const seen = wire([
      () => brokenOff(open + frame(2, "token", { text: "Be", at: 0 })),
      () => streamOf(frame(2, "token", { text: "Be", at: 0 }) + frame(3, "token", { text: "cause.", at: 2 }) + done(4, "Because.")),
    ]);
    const { store, follow } = begin();
    await ask(follow, request);
    expect(store.find("k")?.growing.text).toBe("Because.");
    expect(seen[1]?.url).toContain("/turns/t/events");
    expect(seen[1]?.headers["Last-Event-ID"]).toBe("2");
  });

  it("a piece from further on is not shown in the wrong place: the row fills the gap", async () => {
    const row = { id: "t", conversation_id: "c", notebook_id: "n", question: "Why?", status: "done", finish: "complete", answer: "One two three.", citations: [], checks: null, degraded: [] };
    wire([() => streamOf(open + frame(2, "token", { text: "One ", at: 0 }) + frame(3, "token", { text: "three.", at: 8 })), () => Response.json(row)]);
    const { store, follow } = begin();
    await ask(follow, request);
    expect(store.find("k")).toMatchObject({ row: { answer: "One two three." }, growing: { text: "One two three.", phase: "ended" } });
  });

  it("while there is no connection the same question is sent again under the same key", async () => {
    const away: Answer = () => Promise.reject(new TypeError("network"));
    const seen = wire([away, () => streamOf(open + done(2, ""))]);
    const { store, follow } = begin();
    const asked = ask(follow, request);
    await vi.waitFor(() => expect(store.find("k")?.isAway).toBe(true));
    await asked;
    expect(seen[0]?.headers["Idempotency-Key"]).toBeTruthy();
    expect(seen[1]?.headers["Idempotency-Key"]).toBe(seen[0]?.headers["Idempotency-Key"]);
  });

  it("a refused question is given back with the reason and the seconds to wait", async () => {
    wire([() => refusal(429, "too_many", { "Retry-After": "40" })]);
    const { store, follow } = begin();
    await ask(follow, request);
    expect(store.all()).toEqual([]);
    expect(store.refused()).toMatchObject({ question: "Why?", error: { status: 429, retryAfterS: 40 } });
  });

  it("an error after words were written ends the turn and keeps them", async () => {
    wire([() => streamOf(open + frame(2, "token", { text: "Half", at: 0 }) + frame(3, "error", { code: "interrupted", message: "x", retryable: true }))]);
    const { store, follow, ended } = begin();
    await ask(follow, request);
    expect(store.find("k")?.growing).toMatchObject({ phase: "ended", text: "Half", error: { code: "interrupted" } });
    expect(ended).toEqual(["k"]);
  });

  it("a worker that does not begin in time is waited for under the same key", async () => {
    const seen = wire([() => refusal(503, "first_event_timeout"), () => streamOf(open + done(2, "Late."))]);
    const { store, follow } = begin();
    await ask(follow, request);
    expect(store.find("k")?.growing.text).toBe("Late.");
    expect(seen[1]?.headers["Idempotency-Key"]).toBe(seen[0]?.headers["Idempotency-Key"]);
  });

  it("stop while there is no connection takes the question back into the box", async () => {
    wire([() => Promise.reject(new TypeError("network"))]);
    const { store, follow } = begin();
    const asked = ask(follow, request);
    await vi.waitFor(() => expect(store.find("k")?.isAway).toBe(true));
    await stop(store, "k");
    await asked;
    expect(store.all()).toEqual([]);
    expect(store.refused()).toMatchObject({ question: "Why?", error: null });
  });

  it("stop before the turn has a name is sent once it has one", async () => {
    let begun: (response: Response) => void = () => undefined;
    const posts: string[] = [];
    vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
      if (init.method === "POST") posts.push(url);
      if (url.includes("/ask")) return new Promise<Response>((resolve) => (begun = resolve));
      return Promise.resolve(new Response("{}", { status: 202 }));
    });
    const { store, follow } = begin();
    void ask(follow, request);
    const stopped = stop(store, "k");
    expect(store.find("k")?.isStopping).toBe(true);
    begun(streamOf(open + done(2, "")));
    await stopped;
    expect(posts.some((url) => url.endsWith("/turns/t/stop"))).toBe(true);
  });
});
