import { useEffect, useRef, type RefObject } from "react";
import { useT } from "@/shared/i18n/i18n";
import type { Refusal } from "../lib/live";
import type { AskScope } from "../lib/scopeOf";
import type { useChat } from "../lib/useChat";
import { useChatKeys } from "../lib/useChatKeys";
import { useDraft } from "../lib/useDraft";
import { Composer } from "./Composer";
import { Refused } from "./Refused";

export interface ChatBoxProps {
  notebookId: string;
  chat: ReturnType<typeof useChat>;
  scope: AskScope;
  isReaderOpen: boolean;
  onAsked: () => void;
}

/** The box with its draft: typing renders this part only, however long the conversation is. */
export function ChatBox({ notebookId, chat, scope, isReaderOpen, onAsked }: ChatBoxProps) {
  const t = useT();
  const field = useRef<HTMLTextAreaElement>(null);
  const draft = useDraft(notebookId);
  const { last, running, refusal, submit, halt } = chat;
  const ask = (question: string): void => {
    submit(question, scope.ids, draft.replaces);
    draft.clear();
    onAsked();
  };
  const editLast = (): void => {
    if (last && !running) draft.edit(last.turn.question, last.turn.id);
  };
  const askAgain = (): void => {
    if (draft.text.trim()) ask(draft.text.trim());
  };
  useGivenQuestion(draft.giveBack, field);
  useRefused(refusal, draft.giveBack, field);
  useChatKeys({ field, last, isReaderOpen, isRunning: running !== null, onStop: halt, notebookId });
  return (
    <Composer
      box={field}
      draft={draft}
      placeholder={scope.count > 0 ? t("chat.askAbout", { n: scope.count }) : t("chat.question")}
      reason={scope.reason ? t(scope.reason) : null}
      isRunning={running !== null}
      isStopping={running?.isStopping ?? false}
      onAsk={ask}
      onStop={halt}
      onEditLast={editLast}
    >
      {refusal ? <Refused refusal={refusal} onAgain={askAgain} /> : null}
    </Composer>
  );
}

/** A question handed over by another part of the page fills the box; it is not sent. */
function useGivenQuestion(give: (text: string) => void, field: RefObject<HTMLTextAreaElement | null>): void {
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
function useRefused(refusal: Refusal | null, give: (text: string) => void, field: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    if (!refusal || givenBack.has(refusal)) return;
    givenBack.add(refusal);
    give(refusal.question);
    field.current?.focus();
  }, [refusal, give, field]);
}
