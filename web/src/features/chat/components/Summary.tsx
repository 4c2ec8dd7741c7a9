import { useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { answerAsHtml, answerAsMarkdown } from "@/features/citations/lib/copy";
import { api } from "@/shared/api/client";
import { keys } from "@/shared/api/queries";
import { t as translate, useT } from "@/shared/i18n/i18n";
import { copyText } from "@/shared/lib/clipboard";
import { Button } from "@/shared/ui/Button";
import { IconButton } from "@/shared/ui/IconButton";
import { toast } from "@/shared/ui/toast";
import { jumpToNextDoubt } from "../lib/jump";
import type { ChatTurn } from "../lib/request";
import type { FullConversation } from "../lib/useChat";
import { Legend } from "./Legend";
import styles from "./Turn.module.css";

export interface SummaryProps {
  turn: ChatTurn;
  turnKey: string;
  sources: number;
  isLast: boolean;
  onAgain: () => void;
  onWhy: (turnId: string) => void;
  versions: React.ReactNode;
}

/** Under an answer: what was found, what to look at again, and what can be done with it. */
export function Summary({ turn, turnKey, sources, isLast, onAgain, onWhy, versions }: SummaryProps) {
  const t = useT();
  const hasAnswer = (turn.answer ?? "") !== "";
  return (
    <div className={styles.summary} data-testid="answer-summary">
      <Counts turn={turn} turnKey={turnKey} sources={sources} />
      <div className={styles.actions}>
        {hasAnswer ? (
          <Button look="quiet" small icon="copy" onClick={() => void copyAnswer(turn)} data-testid="copy-answer">
            {t("answer.copy")}
          </Button>
        ) : null}
        {isLast ? (
          <Button look="quiet" small icon="refresh" onClick={onAgain}>
            {t("chat.askAgain")}
          </Button>
        ) : null}
        <Button look="quiet" small icon="search" onClick={() => onWhy(turn.id)} data-why={turn.id} data-testid="how-found">
          {t("answer.how")}
        </Button>
        {hasAnswer ? <Thumbs turn={turn} /> : null}
        {versions}
      </div>
    </div>
  );
}

/** Copies an answer as Markdown with footnotes, with its HTML twin. */
export async function copyAnswer(turn: ChatTurn): Promise<void> {
  const answer = turn.answer ?? "";
  const done = await copyText(answerAsMarkdown(answer, turn.citations, translate), answerAsHtml(answer, turn.citations, translate));
  toast(translate(done ? "answer.copied" : "answer.copyFailed"), done ? {} : { tone: "error" });
}

function Counts({ turn, turnKey, sources }: { turn: ChatTurn; turnKey: string; sources: number }) {
  const t = useT();
  const legend = useId();
  const [isOpen, setOpen] = useState(false);
  const { checks } = turn;
  if (!checks || checks.total === 0) return null;
  const used = new Set(turn.citations.map((citation) => citation.source_id)).size;
  const toCheck = checks.total - checks.found;
  return (
    <>
      <p className={styles.counts}>
        <strong>{t("answer.summary", { found: checks.found, total: checks.total })}</strong>
        {toCheck > 0 ? (
          <Button look="link" small onClick={() => jumpToNextDoubt(turnKey)} title={t("answer.nextToCheck")} data-testid="to-check">
            {t("answer.toCheck", { n: toCheck })}
          </Button>
        ) : null}
        {used > 0 ? <span>{t("answer.drew", { used, n: Math.max(used, searched(turn) ?? sources) })}</span> : null}
        <Button look="link" small aria-expanded={isOpen} aria-controls={legend} onClick={() => setOpen(!isOpen)} data-testid="marks-meaning">
          {t("marks.title")}
        </Button>
      </p>
      {isOpen ? <Legend id={legend} /> : null}
    </>
  );
}

/** How many sources were searched for this answer, when the answer says it. */
function searched(turn: ChatTurn): number | null {
  const count = turn.coverage?.["searched"] ?? turn.coverage?.["sources"];
  return typeof count === "number" ? count : null;
}

function Thumbs({ turn }: { turn: ChatTurn }) {
  const t = useT();
  const client = useQueryClient();
  const value = typeof turn.feedback === "object" ? (turn.feedback?.value ?? 0) : (turn.feedback ?? 0);
  const set = async (next: 1 | -1): Promise<void> => {
    const wanted = value === next ? 0 : next;
    const show = (shown: number): void => {
      client.setQueryData<FullConversation>(keys.conversation(turn.conversation_id), (known) =>
        known ? { ...known, turns: known.turns.map((row) => (row.id === turn.id ? { ...row, feedback: { value: shown } } : row)) } : known,
      );
    };
    show(wanted);
    try {
      await api.post(`/turns/${turn.id}/feedback`, { value: wanted });
    } catch {
      show(value);
      toast(translate("refused.ours"), { tone: "error" });
    }
  };
  return (
    <>
      <IconButton small icon="thumbUp" label={t("answer.good")} aria-pressed={value === 1} onClick={() => void set(1)} />
      <IconButton small icon="thumbDown" label={t("answer.bad")} aria-pressed={value === -1} onClick={() => void set(-1)} />
    </>
  );
}
