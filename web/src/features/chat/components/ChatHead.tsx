import { useLocation } from "wouter";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { newChatAddress } from "../lib/useAddress";
import { Conversations } from "./Conversations";
import styles from "../Chat.module.css";

/** The line over the chat: which conversation this is, the others, a new one. */
export function ChatHead({ notebookId, conversation, title, isEmpty }: { notebookId: string; conversation: string | null; title: string; isEmpty: boolean }) {
  const t = useT();
  const [, navigate] = useLocation();
  if (isEmpty) return null;
  return (
    <header className={styles.head}>
      <Conversations notebookId={notebookId} current={conversation} title={title || t("talks.untitled")} />
      <Button look="quiet" icon="add" className={styles.new} disabled={!conversation} onClick={() => navigate(newChatAddress(notebookId))} data-testid="new-chat">
        {t("talks.new")}
      </Button>
    </header>
  );
}
