import { lazy, Suspense, useCallback, useEffect, useRef, type ReactNode } from "react";
import { CitationCard } from "@/features/citations/components/CitationCard";
import { useSources } from "@/shared/api/queries";
import { useT } from "@/shared/i18n/i18n";
import { useScope } from "@/shared/lib/scope";
import { Button } from "@/shared/ui/Button";
import { ChatBox } from "./components/ChatBox";
import { ChatHead } from "./components/ChatHead";
import { Turns } from "./components/Turns";
import { scopeOf } from "./lib/scopeOf";
import type { AnswerStyle } from "./lib/request";
import { useAddress, useLatest } from "./lib/useAddress";
import { useChat } from "./lib/useChat";
import { useReader } from "./lib/useReader";
import { useTurnInView } from "./lib/useTurnInView";
import { useWhy } from "./lib/useWhy";
import { useRestoredScroll, useSticking } from "./lib/useSticking";
import styles from "./Chat.module.css";

const HowFound = lazy(() => import("./why/HowFound"));

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
  const { box, content, hasNew, toEnd, settle } = useSticking(chat.conversation);
  const isReady = chat.list.length > 0;
  useRestoredScroll(chat.conversation, box, isReady, settle);
  const reader = useReader(box, isReady, settle);
  const isSettled = useLatest(notebookId, named, chat.conversation, empty === null);
  useTurnInView(isReady, settle);
  const why = useWhy();
  const openWhy = useLatestCall(why.open);
  useAddress(notebookId, named, chat.conversation);
  const again = useLatestCall((style?: AnswerStyle) => {
    if (!chat.last) return;
    chat.submit(chat.last.turn.question, scope.ids, chat.last.turn.id, style ?? null);
    toEnd();
  });

  return (
    <section className={styles.chat} data-testid="chat" aria-label={t("chat.name")}>
      <ChatHead notebookId={notebookId} conversation={chat.conversation} title={titleOf(chat)} isEmpty={empty !== null} />
      <div className={styles.scroller} ref={box} data-testid="messages" tabIndex={-1}>
        <div className={styles.content} ref={content}>
          {empty ?? (isSettled ? <Turns notebookId={notebookId} chat={chat} sources={scope.count} onOpen={reader.open} onAgain={again} onWhy={openWhy} /> : null)}
        </div>
      </div>
      <div className={styles.below}>
        {hasNew ? (
          <Button small icon="arrowDown" className={styles.newText} onClick={toEnd} data-testid="new-text">
            {t("chat.newText")}
          </Button>
        ) : null}
        <ChatBox notebookId={notebookId} chat={chat} scope={scope} isReaderOpen={reader.isOpen} onAsked={toEnd} />
      </div>
      <CitationCard />
      <Suspense>
        {why.turnId ? <HowFound key={why.turnId} place={{ notebookId, conversation: chat.conversation, turnId: why.turnId }} onClose={why.close} /> : null}
      </Suspense>
    </section>
  );
}

const titleOf = ({ query, last }: ReturnType<typeof useChat>): string => query.data?.title || (last?.turn.question ?? "");

/** A callback that stays the same and calls what was given last. */
function useLatestCall<A extends unknown[]>(call: (...given: A) => void): (...given: A) => void {
  const latest = useRef(call);
  useEffect(() => {
    latest.current = call;
  });
  return useCallback((...given: A) => latest.current(...given), []);
}
