import { Chat } from "@/features/chat/Chat";
import { FirstRun } from "@/features/notebooks/components/FirstRun";
import { AddBox } from "@/features/sources/components/AddBox";
import { useUploads } from "@/features/sources/lib/uploads";
import { useSources } from "@/shared/api/queries";
import type { Notebook } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { mayEdit } from "@/shared/lib/roles";
import styles from "@/app/workspace/ChatColumn.module.css";

interface ChatColumnProps {
  notebook: Notebook;
  conversationId: string | undefined;
  hidden: boolean;
}

/** The middle: the chat, with the add box in its place while there is nothing to ask about. */
export function ChatColumn({ notebook, conversationId, hidden }: ChatColumnProps) {
  const t = useT();
  const sources = useSources(notebook.id);
  const uploads = useUploads(notebook.id);
  const canEdit = mayEdit(notebook.role);
  const isEmpty = canEdit && sources.data?.length === 0 && uploads.length === 0;
  return (
    <main id="main" tabIndex={-1} aria-label={t("work.chat")} className={styles.column} data-hidden={hidden || undefined} inert={hidden}>
      {notebook.is_sample && sources.data ? <FirstRun notebookId={notebook.id} sources={sources.data.length} /> : null}
      <div className={styles.chat}>
        <Chat notebookId={notebook.id} conversationId={conversationId} empty={isEmpty ? <AddBox notebookId={notebook.id} /> : null} />
      </div>
    </main>
  );
}
