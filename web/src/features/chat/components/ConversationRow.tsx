import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { api } from "@/shared/api/client";
import { keys } from "@/shared/api/queries";
import type { Conversation } from "@/shared/api/types";
import { t as translate, useT } from "@/shared/i18n/i18n";
import { workspaceAddress } from "@/shared/lib/addresses";
import { download } from "@/shared/lib/download";
import { Button } from "@/shared/ui/Button";
import { Menu } from "@/shared/ui/Menu";
import { toast } from "@/shared/ui/toast";
import type { FullConversation } from "../lib/useChat";
import styles from "./Conversations.module.css";

interface RowProps {
  notebookId: string;
  talk: Conversation;
  isCurrent: boolean;
  onOpened: () => void;
}

/** One conversation: open, rename, export, delete with a way back. */
export function ConversationRow({ notebookId, talk, isCurrent, onOpened }: RowProps) {
  const t = useT();
  const [isRenaming, setRenaming] = useState(false);
  const remove = useRemoving(notebookId, isCurrent);
  const title = talk.title || t("talks.untitled");
  if (isRenaming) return <Renaming notebookId={notebookId} talk={talk} onDone={() => setRenaming(false)} />;
  return (
    <li className={styles.row} data-testid="conversation-row" data-current={isCurrent || undefined}>
      <Link href={workspaceAddress(notebookId, talk.id)} className={styles.link} onClick={onOpened} aria-current={isCurrent ? "page" : undefined} dir="auto">
        {title}
      </Link>
      <Menu
        small
        label={t("talks.menu", { title })}
        items={[
          { label: t("talks.rename"), icon: "edit", run: () => setRenaming(true) },
          { label: t("export.md"), icon: "download", run: () => download(`/conversations/${talk.id}/file?format=md`) },
          { label: t("export.docx"), icon: "download", run: () => download(`/conversations/${talk.id}/file?format=docx`) },
          { label: t("export.json"), icon: "download", run: () => download(`/conversations/${talk.id}/file?format=json`) },
          "line",
          { label: t("talks.delete"), icon: "trash", danger: true, run: () => void remove(talk) },
        ]}
      />
    </li>
  );
}

function Renaming({ notebookId, talk, onDone }: { notebookId: string; talk: Conversation; onDone: () => void }) {
  const t = useT();
  const client = useQueryClient();
  const [title, setTitle] = useState(talk.title);
  const save = async (): Promise<void> => {
    const name = title.trim();
    onDone();
    if (!name || name === talk.title) return;
    const show = (shown: string): void => {
      client.setQueryData<Conversation[]>(keys.conversations(notebookId), (known) => known?.map((row) => (row.id === talk.id ? { ...row, title: shown } : row)));
      client.setQueryData<FullConversation>(keys.conversation(talk.id), (known) => (known ? { ...known, title: shown } : known));
    };
    show(name);
    try {
      await api.patch(`/conversations/${talk.id}`, { title: name });
    } catch {
      show(talk.title);
      toast(translate("refused.ours"), { tone: "error" });
    }
  };
  return (
    <li>
      <form
        className={styles.renaming}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          onDone();
        }}
      >
        <input autoFocus value={title} maxLength={200} aria-label={t("talks.name")} onFocus={(event) => event.target.select()} onChange={(event) => setTitle(event.target.value)} />
        <Button small look="primary" type="submit">
          {t("talks.save")}
        </Button>
        <Button small look="quiet" onClick={onDone}>
          {t("talks.cancel")}
        </Button>
      </form>
    </li>
  );
}

function useRemoving(notebookId: string, isCurrent: boolean): (talk: Conversation) => Promise<void> {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const refetch = (): void => void client.invalidateQueries({ queryKey: keys.conversations(notebookId) });
  const undo = async (talk: Conversation): Promise<void> => {
    await api.post(`/conversations/${talk.id}/restore`).catch(() => toast(translate("refused.ours"), { tone: "error" }));
    refetch();
    if (isCurrent) navigate(workspaceAddress(notebookId, talk.id));
  };
  return async (talk) => {
    focusBeside();
    client.setQueryData<Conversation[]>(keys.conversations(notebookId), (known) => known?.filter((row) => row.id !== talk.id));
    if (isCurrent) navigate(`${workspaceAddress(notebookId)}?chat=new`);
    try {
      await api.del(`/conversations/${talk.id}`);
      toast(translate("talks.moved"), { action: { label: translate("talks.undo"), run: () => void undo(talk) } });
    } catch {
      toast(translate("refused.ours"), { tone: "error" });
    }
    refetch();
  };
}

/** After a row is gone the focus is on the next one, never nowhere. */
function focusBeside(): void {
  const row = document.activeElement?.closest("li");
  const next = row?.nextElementSibling ?? row?.previousElementSibling;
  const goal = next?.querySelector<HTMLElement>("a") ?? document.querySelector<HTMLElement>("[data-testid=open-conversations]");
  goal?.focus();
}
