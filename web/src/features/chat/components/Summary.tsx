import { answerAsHtml, answerAsMarkdown } from "@/features/citations/lib/copy";
import { useSaveToNote } from "@/shared/api/notes";
import { useNotebook } from "@/shared/api/queries";
import { t as translate, useT } from "@/shared/i18n/i18n";
import { copyText } from "@/shared/lib/clipboard";
import { mayEdit } from "@/shared/lib/roles";
import { Button } from "@/shared/ui/Button";
import { toast } from "@/shared/ui/toast";
import type { AnswerStyle, ChatTurn } from "../lib/request";
import { Chips } from "./Chips";
import { Counts } from "./Counts";
import { Thumbs } from "./Thumbs";
import styles from "./Turn.module.css";

export interface SummaryProps {
  turn: ChatTurn;
  turnKey: string;
  sources: number;
  isLast: boolean;
  onAgain: (style?: AnswerStyle) => void;
  onWhy: (turnId: string) => void;
  versions: React.ReactNode;
}

/** Under an answer: what was found, what to look at again, and what can be done with it. */
export function Summary({ turn, turnKey, sources, isLast, onAgain, onWhy, versions }: SummaryProps) {
  const t = useT();
  const hasAnswer = (turn.answer ?? "") !== "";
  const isWritten = hasAnswer && !(turn.degraded ?? []).includes("no_chat_model");
  return (
    <div className={styles.summary} data-testid="answer-summary">
      <Chips turn={turn} />
      <Counts turn={turn} turnKey={turnKey} sources={sources} />
      <div className={styles.actions}>
        {hasAnswer ? (
          <Button look="quiet" small icon="copy" onClick={() => void copyAnswer(turn)} data-testid="copy-answer">
            {t("answer.copy")}
          </Button>
        ) : null}
        {hasAnswer ? <SaveToNote turn={turn} /> : null}
        {isLast ? (
          <Button look="quiet" small icon="refresh" onClick={() => onAgain()} data-testid="ask-again">
            {t("chat.askAgain")}
          </Button>
        ) : null}
        {isLast && isWritten ? <Styles onAgain={onAgain} /> : null}
        <Button look="quiet" small icon="search" onClick={() => onWhy(turn.id)} data-why={turn.id} data-testid="how-found">
          {t("answer.how")}
        </Button>
        {versions}
        {hasAnswer ? <Thumbs turn={turn} /> : null}
      </div>
    </div>
  );
}

function Styles({ onAgain }: { onAgain: (style: AnswerStyle) => void }) {
  const t = useT();
  return (
    <>
      <Button look="quiet" small onClick={() => onAgain("shorter")} data-testid="shorter">
        {t("answer.shorter")}
      </Button>
      <Button look="quiet" small onClick={() => onAgain("longer")} data-testid="longer">
        {t("answer.longer")}
      </Button>
    </>
  );
}

function SaveToNote({ turn }: { turn: ChatTurn }) {
  const t = useT();
  const role = useNotebook(turn.notebook_id).data?.role;
  const save = useSaveToNote(turn.notebook_id, turn.conversation_id);
  if (!mayEdit(role)) return null;
  return (
    <Button look="quiet" small icon="note" disabled={save.isPending} onClick={() => save.mutate({ turn_id: turn.id })} data-testid="save-note">
      {t("answer.saveNote")}
    </Button>
  );
}

/** Copies an answer as Markdown with footnotes, with its HTML twin. */
export async function copyAnswer(turn: ChatTurn): Promise<void> {
  const answer = turn.answer ?? "";
  const done = await copyText(answerAsMarkdown(answer, turn.citations, translate), answerAsHtml(answer, turn.citations, translate));
  toast(translate(done ? "answer.copied" : "answer.copyFailed"), done ? {} : { tone: "error" });
}
