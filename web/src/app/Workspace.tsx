import { useRoute, useSearch } from "wouter";
import { Chat } from "@/features/chat/Chat";
import { Reader } from "@/features/reader/Reader";

export default function Workspace() {
  const [, params] = useRoute("/n/:id/*?");
  const [, talk] = useRoute("/n/:id/c/:conversation");
  const [, open] = useRoute("/n/:id/s/:source");
  const beside = new URLSearchParams(useSearch()).get("c");
  if (!params) return null;
  return (
    <>
      <Chat notebookId={params.id} conversationId={talk?.conversation ?? beside ?? undefined} />
      {open ? <Reader notebookId={params.id} sourceId={open.source} /> : null}
    </>
  );
}
