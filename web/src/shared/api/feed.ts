/**
 * The live feed: one connection per browser, not per tab, because six open ones block every further request of the
 * origin. The tab that holds the lock listens and tells the others by BroadcastChannel; a hidden tab lets go. Where the
 * feed is away every visible tab refetches each 10 s. A page on a plain LAN address has no locks: there each visible tab
 * listens for itself.
 */
import { apiUrl } from "@/shared/api/client";

export interface Hint {
  what: "source" | "turn" | "notebook" | "health" | "all";
  id?: string;
  notebook_id?: string;
  notebook_ids?: string[];
  conversation_id?: string;
}
type Message = { hint: Hint } | { alive: true };

const KINDS = ["source", "turn", "notebook", "health"] as const;
const POLL_MS = 10_000;
const BEAT_MS = 15_000;
const SILENT_MS = 35_000; // two beats and a little: then the leader is taken for gone

/** Calls `tell` for every hint until the returned function is called. `all` means: anything may have changed. */
export function startFeed(tell: (hint: Hint) => void): () => void {
  const channel = "BroadcastChannel" in globalThis ? new BroadcastChannel("sourcebook.feed") : null;
  let heardAt = 0;
  let leading: AbortController | null = null;

  const say = (message: Message): void => channel?.postMessage(message);
  const heard = (message: Message): void => {
    heardAt = Date.now();
    if ("hint" in message) tell(message.hint);
  };
  if (channel) channel.onmessage = (event: MessageEvent<Message>) => heard(event.data);

  const lead = (): void => {
    if (leading) return;
    const mine = new AbortController();
    leading = mine;
    const run = (): Promise<void> =>
      listen(mine.signal, (message) => {
        heard(message);
        say(message);
      });
    if (!navigator.locks) void run();
    else navigator.locks.request("sourcebook.feed", { signal: mine.signal }, run).catch(ignoreAbort);
  };
  const letGo = (): void => {
    leading?.abort();
    leading = null;
  };
  const look = (): void => {
    if (document.hidden) return letGo();
    tell({ what: "all" }); // what happened while nobody looked
    lead();
  };
  const poll = setInterval(() => {
    if (!document.hidden && Date.now() - heardAt > SILENT_MS) tell({ what: "all" });
  }, POLL_MS);
  document.addEventListener("visibilitychange", look);
  if (!document.hidden) lead();
  return () => {
    clearInterval(poll);
    document.removeEventListener("visibilitychange", look);
    letGo();
    channel?.close();
  };
}

/** Holds one connection until the signal; the browser reconnects by itself, we reopen what it gave up on. */
function listen(signal: AbortSignal, tell: (message: Message) => void): Promise<void> {
  return new Promise((resolve) => {
    let source = open(tell);
    const beat = setInterval(() => {
      if (source.readyState === EventSource.OPEN) tell({ alive: true });
      else if (source.readyState === EventSource.CLOSED) source = open(tell);
    }, BEAT_MS);
    const end = (): void => {
      clearInterval(beat);
      source.close();
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}

function open(tell: (message: Message) => void): EventSource {
  const source = new EventSource(apiUrl("/events"));
  source.onopen = () => tell({ hint: { what: "all" } }); // hints sent while away are lost: refetch
  for (const what of KINDS) {
    source.addEventListener(what, (event: MessageEvent<string>) => tell({ hint: { ...hintIn(event.data), what } }));
  }
  return source;
}

function hintIn(data: string): Omit<Hint, "what"> {
  try {
    return JSON.parse(data) as Omit<Hint, "what">;
  } catch {
    return {}; // a hint without its facts still says which kind to refetch
  }
}

function ignoreAbort(cause: unknown): void {
  if (!(cause instanceof DOMException && cause.name === "AbortError")) throw cause;
}
