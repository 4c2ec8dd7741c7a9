import { useQueryClient, type QueryKey } from "@tanstack/react-query";
import { useEffect } from "react";
import { startFeed, type Hint } from "@/shared/api/feed";
import { keys } from "@/shared/api/queries";

const GATHER_MS = 400; // hints come per page read; one refetch for those that fall together

/** Turns hints of the live feed into refetches of what is on the screen. */
export function useFeed(enabled: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!enabled) return;
    const waiting = new Map<string, QueryKey>();
    let timer = 0;
    const flush = (): void => {
      timer = 0;
      const due = [...waiting.values()];
      waiting.clear();
      for (const queryKey of due) void client.invalidateQueries({ queryKey });
    };
    const stop = startFeed((hint) => {
      for (const key of touched(hint)) waiting.set(JSON.stringify(key), key);
      if (timer === 0) timer = window.setTimeout(flush, GATHER_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [client, enabled]);
}

/** The queries a hint makes stale. */
export function touched(hint: Hint): QueryKey[] {
  const books = hint.notebook_ids ?? (hint.notebook_id ? [hint.notebook_id] : []);
  if (hint.what === "source") {
    const lists = books.length > 0 ? books.map((id) => keys.sources(id)) : [["sources", "of"]];
    return [...lists, ...(hint.id ? [keys.source(hint.id)] : []), keys.library, keys.notebooks];
  }
  if (hint.what === "turn") {
    const talk = hint.conversation_id ? [keys.conversation(hint.conversation_id)] : [];
    return [...(hint.id ? [keys.turn(hint.id)] : []), ...talk, ...books.map((id) => keys.conversations(id))];
  }
  if (hint.what === "notebook") return [keys.notebooks, keys.trash];
  if (hint.what === "health") return [keys.health];
  return [["sources"], keys.notebooks, ["conversations"], keys.health];
}
