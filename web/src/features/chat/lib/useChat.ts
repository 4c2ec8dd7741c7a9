/** The conversation as the chat shows it, and what can be done in it. */

import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { api } from "@/shared/api/client";
import { keys } from "@/shared/api/queries";
import type { Conversation } from "@/shared/api/types";
import { uuid } from "@/shared/lib/ids";
import { ask, resume, stop } from "./ask";
import { live, type LiveTurn } from "./live";
import { turnOf, type AnswerStyle, type AskRequest, type ChatTurn } from "./request";
import { exchanges, shownTurns, type ShownTurn } from "./shown";

export type FullConversation = Omit<Conversation, "turns"> & { turns: ChatTurn[] };

/** Puts an ended turn into the cache, takes it off the live ones, and lets the lists catch up. */
function settle(client: QueryClient, key: string): void {
  const ended = live.find(key);
  if (!ended) return;
  const { growing, request } = ended;
  const turn = ended.row ?? turnOf(request, growing, growing.turnId ?? key, ended.createdAt);
  const conversation = turn.conversation_id;
  client.setQueryData<FullConversation>(keys.conversation(conversation), (known) => {
    const base = known ?? { id: conversation, title: turn.question, created_at: turn.created_at, updated_at: turn.created_at, turns: [] };
    const others = base.turns.filter((row) => row.id !== turn.id);
    const at = base.turns.findIndex((row) => row.id === turn.id);
    return { ...base, turns: at < 0 ? [...others, turn] : base.turns.with(at, turn) };
  });
  // The cache tells its observers a task later; until then the live turn stands in its place.
  setTimeout(() => live.remove(key), 100);
  void client.invalidateQueries({ queryKey: keys.conversations(request.notebookId) });
  void client.invalidateQueries({ queryKey: keys.conversation(conversation) });
  void client.invalidateQueries({ queryKey: keys.notebook(request.notebookId) });
}

/** Conversation turns that the server is still answering are taken up again: after a reload, in another tab. */
function useResuming(turns: readonly ChatTurn[] | undefined, notebookId: string): void {
  const client = useQueryClient();
  useEffect(() => {
    for (const turn of turns ?? []) {
      const isRunning = turn.status === "queued" || turn.status === "running";
      if (!isRunning || live.byTurn(turn.id)) continue;
      const key = live.keyOf(turn.id);
      const request: AskRequest = {
        notebookId, conversationId: turn.conversation_id, question: turn.question, sourceIds: null, replaces: turn.replaces ?? null,
      };
      live.add(key, request, { turnId: turn.id, conversationId: turn.conversation_id }, turn.created_at);
      void resume({ store: live, key, onEnd: (ended) => settle(client, ended) }, turn);
    }
  }, [turns, notebookId, client]);
}

/** The key of a question asked in a new chat: it belongs there before the address knows the conversation's name. */
function useStarted(conversationId: string | null): [string | null, (key: string) => void] {
  const [started, setStarted] = useState<string | null>(null);
  const [seen, setSeen] = useState(conversationId);
  if (seen !== conversationId) {
    setSeen(conversationId);
    if (conversationId) setStarted(null);
  }
  return [started, setStarted];
}

function runningOf(last: ShownTurn | null): LiveTurn | null {
  return last?.live && last.live.growing.phase !== "ended" ? last.live : null;
}

export function useChat(notebookId: string, conversationId: string | null) {
  const client = useQueryClient();
  const all = useSyncExternalStore(live.subscribe, live.all);
  const refusal = useSyncExternalStore(live.subscribe, live.refused);
  const [started, setStarted] = useStarted(conversationId);
  const conversation = conversationId ?? all.find((turn) => turn.key === started)?.growing.conversationId ?? null;
  const query = useQuery({
    queryKey: keys.conversation(conversation ?? ""),
    queryFn: ({ signal }) => api.get<FullConversation>(`/conversations/${conversation}`, signal),
    enabled: conversation !== null,
  });
  const stored = query.data?.turns;
  useResuming(stored, notebookId);
  const list = useMemo(
    () => exchanges(shownTurns(stored ?? [], all, { notebookId, conversationId: conversation }, (id) => live.keyOf(id))),
    [stored, all, notebookId, conversation],
  );
  const last = list.at(-1)?.versions.at(-1) ?? null;
  const running = runningOf(last);

  const submit = useCallback(
    (question: string, sourceIds: readonly string[] | null, replaces: string | null, style: AnswerStyle | null = null) => {
      const key = uuid();
      const request: AskRequest = { notebookId, conversationId: conversation, question, sourceIds, replaces, style };
      live.add(key, request);
      if (!conversation) setStarted(key);
      void ask({ store: live, key, onEnd: (ended) => settle(client, ended) }, request);
    },
    [client, conversation, notebookId, setStarted],
  );
  const halt = useCallback(() => {
    if (running) void stop(live, running.key);
  }, [running]);
  return { conversation, query, list, last, running, refusal: refusal?.notebookId === notebookId ? refusal : null, submit, halt };
}
