/** The address follows the conversation: a new one takes its name, an opened notebook shows its last one. */

import { useEffect } from "react";
import { useLocation, useSearch } from "wouter";
import { workspaceAddress } from "@/shared/lib/addresses";
import { useConversations } from "../components/Conversations";

export const newChatAddress = (notebookId: string): string => `${workspaceAddress(notebookId)}?chat=new`;

/** Once a question asked in a new chat has a conversation, the address names it; an open reader stays open. */
export function useAddress(notebookId: string, inAddress: string | null, conversation: string | null): void {
  const [path, navigate] = useLocation();
  const search = useSearch();
  useEffect(() => {
    if (inAddress || !conversation) return;
    const isReader = path.startsWith(`/n/${notebookId}/s/`) || path.startsWith(`/n/${notebookId}/notes/`);
    const query = new URLSearchParams(search);
    query.set("c", conversation);
    navigate(isReader ? `${path}?${query}` : workspaceAddress(notebookId, conversation), { replace: true });
  }, [inAddress, conversation, notebookId, path, search, navigate]);
}

/** Opens the last conversation of a notebook that was opened without naming one. True once it is clear what to show. */
export function useLatest(notebookId: string, inAddress: string | null, conversation: string | null, isOn: boolean): boolean {
  const [path, navigate] = useLocation();
  const isNew = new URLSearchParams(useSearch()).get("chat") === "new";
  const isHere = isOn && !inAddress && !conversation && !isNew && path === workspaceAddress(notebookId);
  const talks = useConversations(notebookId);
  const newest = isHere ? [...(talks.data ?? [])].sort((a, b) => b.updated_at.localeCompare(a.updated_at))[0] : undefined;
  useEffect(() => {
    if (newest) navigate(workspaceAddress(notebookId, newest.id), { replace: true });
  }, [newest, notebookId, navigate]);
  return !isHere || (!talks.isPending && !newest);
}
