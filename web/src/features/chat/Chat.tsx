import { useCallback, useEffect, useRef, type ReactNode } from "react";
import { CitationCard } from "@/features/citations/components/CitationCard";
import { useSources } from "@/shared/api/queries";
import { useT } from "@/shared/i18n/i18n";
import { useScope } from "@/shared/lib/scope";
import { Button } from "@/shared/ui/Button";
import { ChatHead } from "./components/ChatHead";
import { Composer } from "./components/Composer";
import { Refused } from "./components/Refused";
import { Turns } from "./components/Turns";
import type { Refusal } from "./lib/live";
import { scopeOf } from "./lib/scopeOf";
import { useAddress, useLatest } from "./lib/useAddress";
import { useChat } from "./lib/useChat";
import { useChatKeys } from "./lib/useChatKeys";
import { useDraft } from "./lib/useDraft";
import { useReader } from "./lib/useReader";
import { useRestoredScroll, useSticking } from "./lib/useSticking";
import styles from "./Chat.module.css";

export interface ChatProps {
  notebookId: string;
  conversationId?: string | undefined;
  /** Stands in place of the messages while the notebook has no source. */
  empty?: ReactNode;
}

/** The conversation with a notebook: its turns, the box, and the card of the mark that is pointed at. */
export function Chat({ notebookId, conversationId, empty = null }: ChatProps) {
  const t = useT();
  const named = conversationId ?? null;
  const chat = useChat(notebookId, named);
  const sources = useSources(notebookId);
  const { leftOut } = useScope(notebookId);
  const scope = scopeOf(sources.data, leftOut);
  const draft = useDraft(notebookId);
  const field = useRef<HTMLTextAreaElement>(null);
  const { box, content, hasNew, toEnd } = useSticking(chat.conversation);
  const isReady = chat.list.length > 0;
  useRestoredScroll(chat.conversation, box, isReady);
  const reader = useReader(box, isReady);
  const isSettled = useLatest(notebookId, named, chat.conversation, empty === null);
  useAddress(notebookId, named, chat.conversation);

  const { submit, refusal, last } = chat;
  const isRunning = chat.running !== null;
  const isStopping = chat.running?.isStopping === true;
  const ask = useCallback(
    (question: string, replaces: string | null = draft.replaces) => {
      submit(question, scope.ids, replaces);
      draft.clear();
      toEnd();
    },
    [submit, scope.ids, draft, toEnd],
  );
  const again = (): void => {
    if (last) ask(last.turn.question, last.turn.id);
  };
  const editLast = (): void => {
    if (last && !isRunning) draft.edit(last.turn.question, last.turn.id);
  };
  useGivenQuestion(draft.giveBack, field);
  useRefused(refusal, draft.giveBack, field);
  useChatKeys({ field, last, isReaderOpen: reader.isOpen, isRunning, onStop: chat.halt, notebookId });

  return (
    <section className={styles.chat} data-testid="chat" aria-label={t("chat.name")}>
      <ChatHead notebookId={notebookId} conversation={chat.conversation} title={titleOf(chat)} isEmpty={empty !== null} />
      <div className={styles.scroller} ref={box} data-testid="messages" tabIndex={-1}>
        <div className={styles.content} ref={content}>
          {empty ?? (isSettled ? <Turns chat={chat} sources={scope.count} onOpen={reader.open} onAgain={again} /> : null)}
        </div>
      </div>
      <div className={styles.below}>
        {hasNew ? (
          <Button small icon="arrowDown" className={styles.newText} onClick={toEnd} data-testid="new-text">
            {t("chat.newText")}
          </Button>
        ) : null}
        <Composer
          box={field}
          draft={draft}
          placeholder={t("chat.askAbout", { n: scope.count })}
          reason={scope.reason ? t(scope.reason) : null}
          isRunning={isRunning}
          isStopping={isStopping}
          onAsk={ask}
          onStop={chat.halt}
          onEditLast={editLast}
        >
          {refusal ? <Refused refusal={refusal} onAgain={() => draft.text.trim() && ask(draft.text.trim())} /> : null}
        </Composer>
      </div>
      <CitationCard />
    </section>
  );
}

const titleOf = ({ query, last }: ReturnType<typeof useChat>): string => query.data?.title || (last?.turn.question ?? "");

/** A question handed over by another part of the page fills the box; it is not sent. */
function useGivenQuestion(give: (text: string) => void, field: React.RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    const take = (event: Event): void => {
      if (!(event instanceof CustomEvent) || typeof event.detail !== "string") return;
      give(event.detail);
      field.current?.focus();
    };
    addEventListener("sourcebook:question", take);
    return () => removeEventListener("sourcebook:question", take);
  }, [give, field]);
}

const givenBack = new WeakSet<Refusal>();

/** A question that was refused goes back into the box, once. */
function useRefused(refusal: Refusal | null, give: (text: string) => void, field: React.RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    if (!refusal || givenBack.has(refusal)) return;
    givenBack.add(refusal);
    give(refusal.question);
    field.current?.focus();
  }, [refusal, give, field]);
}
