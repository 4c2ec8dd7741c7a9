/** Asks, follows the stream through broken connections, stops. All network of an answer is here. */

import { ApiError, api, OFFLINE, send } from "@/shared/api/client";
import { uuid } from "@/shared/lib/ids";
import { codePointLength } from "@/shared/lib/codepoints";
import { apply, eventOf, type AnswerEvent, type Growing } from "./events";
import type { LiveTurns } from "./live";
import { askBody, growingOf, type AskRequest, type ChatTurn } from "./request";
import { framesOf } from "./sse";
import { isGone, STEPS, waitBefore } from "./waits";

/** A stream that keeps failing although requests work: read the row instead. */
const POLL_AFTER = 4;

/** No connection, or no worker that began in time: the question is asked again under its key, which finds the same turn. */
const WAITED_FOR: ReadonlySet<string> = new Set([OFFLINE, "first_event_timeout"]);
const STREAM = { Accept: "text/event-stream" };
const FINAL = new Set(["done", "stopped", "failed"]);

export interface Following {
  readonly store: LiveTurns;
  readonly key: string;
  /** Called once, when the turn has ended and its row can be read. */
  readonly onEnd: (key: string) => void;
}

function growingBy(follow: Following): Growing | undefined {
  return follow.store.find(follow.key)?.growing;
}

function feed(follow: Following, event: AnswerEvent): void {
  follow.store.change(follow.key, (turn) => {
    const growing = apply(turn.growing, event);
    return growing === turn.growing && !turn.isAway ? turn : { ...turn, growing, isAway: false };
  });
}

/** Reads frames until the stream ends; gives the id of the last one. Throws what the network throws. */
async function readStream(follow: Following, response: Response, lastId: { id: string }): Promise<void> {
  if (!response.body) return;
  for await (const frame of framesOf(response.body)) {
    if (frame.id) lastId.id = frame.id;
    const event = eventOf(frame.event, frame.text);
    if (event) feed(follow, event);
    const growing = growingBy(follow);
    if (!growing || growing.phase === "ended" || growing.hasGap) return;
  }
}

/** Puts the stored row in place of what was streamed: fills gaps, ends turns whose stream is gone. */
async function readRow(follow: Following, turnId: string): Promise<void> {
  const row = await api.get<ChatTurn>(`/turns/${turnId}`);
  follow.store.change(follow.key, (turn) => {
    const text = row.answer ?? "";
    const isFinal = FINAL.has(row.status);
    // A running row may lag behind the stream; what was shown is never taken back.
    const isAhead = isFinal || codePointLength(text) >= turn.growing.points;
    const shown = isAhead ? { text, points: codePointLength(text), citations: row.citations } : {};
    const growing: Growing = { ...turn.growing, ...shown, hasGap: false };
    return { ...turn, row: isFinal ? row : null, isAway: false, growing: isFinal ? { ...growing, phase: "ended", done: null, error: null } : growing };
  });
}

async function tryOnce(follow: Following, turnId: string, lastId: { id: string }, failures: number): Promise<void> {
  if (failures >= POLL_AFTER || growingBy(follow)?.hasGap) {
    await readRow(follow, turnId);
    if (growingBy(follow)?.phase === "ended" || failures >= POLL_AFTER) return;
  }
  const headers = lastId.id ? { ...STREAM, "Last-Event-ID": lastId.id } : STREAM;
  await readStream(follow, await send("GET", `/turns/${turnId}/events`, { headers }), lastId);
}

async function tryGuarded(follow: Following, turnId: string, lastId: { id: string }, failures: number): Promise<void> {
  try {
    await tryOnce(follow, turnId, lastId, failures);
  } catch (error) {
    if (error instanceof ApiError && isGone(error.status)) feed(follow, { type: "error", code: error.code, message: error.message });
    else follow.store.change(follow.key, (turn) => ({ ...turn, isAway: true }));
  }
}

/** Stays with a turn that has an id until it ends, through any number of broken connections. */
async function stay(follow: Following, turnId: string, lastId: { id: string }): Promise<void> {
  let failures = 0;
  for (let before = growingBy(follow); before && before.phase !== "ended"; ) {
    await tryGuarded(follow, turnId, lastId, failures);
    const after = growingBy(follow);
    failures = after && after.points > before.points ? 0 : failures + 1;
    if (after && after.phase !== "ended") await waitBefore(failures);
    before = growingBy(follow);
  }
  if (growingBy(follow)) follow.onEnd(follow.key);
}

/** The first request; while there is no connection it is tried again under the same key, which can never ask twice. */
async function firstStream(follow: Following, request: AskRequest, idempotencyKey: string): Promise<Response | null> {
  for (let tries = 0; ; tries += 1) {
    const turn = follow.store.find(follow.key);
    if (!turn) return null;
    if (turn.isStopping && tries > 0) {
      giveBack(follow, request, null);
      return null;
    }
    try {
      return await send("POST", `/notebooks/${request.notebookId}/ask`, { body: askBody(request), headers: STREAM, idempotencyKey });
    } catch (error) {
      if (!(error instanceof ApiError) || !WAITED_FOR.has(error.code)) throw error;
      if (error.code === OFFLINE) follow.store.change(follow.key, (turn) => ({ ...turn, isAway: true }));
      await waitBefore(tries);
    }
  }
}

function giveBack(follow: Following, request: AskRequest, error: ApiError | null): void {
  follow.store.remove(follow.key);
  follow.store.refuse({ notebookId: request.notebookId, question: request.question, error, at: Date.now() });
}

/** Asks and follows the answer to its end. A refused question goes back to the box; nothing is thrown. */
export async function ask(follow: Following, request: AskRequest): Promise<void> {
  const lastId = { id: "" };
  const idempotencyKey = uuid();
  try {
    const response = await firstStream(follow, request, idempotencyKey);
    if (!response) return;
    try {
      await readStream(follow, response, lastId);
    } catch {
      follow.store.change(follow.key, (turn) => ({ ...turn, isAway: true }));
    }
  } catch (error) {
    giveBack(follow, request, error instanceof ApiError ? error : new ApiError({ code: "page_error", message: String(error), status: 0 }));
    return;
  }
  const growing = growingBy(follow);
  if (!growing) return;
  if (growing.turnId) return stay(follow, growing.turnId, lastId);
  if (growing.error) {
    const { code, message, retry_after_s: retryAfterS } = growing.error;
    return giveBack(follow, request, new ApiError({ code, message, status: 503, retryAfterS: retryAfterS ?? null }));
  }
  // The connection broke before the turn had a name: the same key finds the same turn.
  return again(follow, request, idempotencyKey);
}

async function again(follow: Following, request: AskRequest, idempotencyKey: string): Promise<void> {
  const lastId = { id: "" };
  for (let tries = 0; tries < STEPS; tries += 1) {
    await waitBefore(tries);
    const response = await firstStream(follow, request, idempotencyKey).catch(() => null);
    if (response) await readStream(follow, response, lastId).catch(() => undefined);
    const turnId = growingBy(follow)?.turnId;
    if (turnId) return stay(follow, turnId, lastId);
  }
  giveBack(follow, request, new ApiError({ code: OFFLINE, message: "offline", status: 0 }));
}

/** Takes up the stream of a turn that was already running (after a reload, in a second tab). */
export async function resume(follow: Following, turn: ChatTurn): Promise<void> {
  follow.store.change(follow.key, (known) => ({ ...known, growing: { ...known.growing, ...growingOf(turn) } }));
  await stay(follow, turn.id, { id: "" });
}

/** Asks the server to stop; the text written so far stays. Before the turn has a name it is given up here and stopped once it has one. */
export async function stop(store: LiveTurns, key: string): Promise<void> {
  const turn = store.find(key);
  if (!turn || turn.growing.phase === "ended") return;
  if (turn.isAway && !turn.growing.turnId) {
    // Nothing was taken yet: the question is simply taken back.
    store.remove(key);
    store.refuse({ notebookId: turn.request.notebookId, question: turn.request.question, error: null, at: Date.now() });
    return;
  }
  store.change(key, (known) => ({ ...known, isStopping: true }));
  const turnId = turn.growing.turnId ?? (await nameOf(store, key));
  if (!turnId) return;
  try {
    await api.post(`/turns/${turnId}/stop`);
  } catch (error) {
    // It ended by itself a moment ago (409), or the connection is away: the stream will tell.
    if (!(error instanceof ApiError)) throw error;
    store.change(key, (known) => ({ ...known, isStopping: false }));
  }
}

/** The turn's id once the stream has told it; null when the question was given back before. */
function nameOf(store: LiveTurns, key: string): Promise<string | null> {
  return new Promise((resolve) => {
    const look = (): void => {
      const turn = store.find(key);
      if (turn && !turn.growing.turnId) return;
      leave();
      resolve(turn?.growing.turnId ?? null);
    };
    const leave = store.subscribe(look);
    look();
  });
}
