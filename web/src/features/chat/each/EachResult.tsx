import { useMemo } from "react";
import { AnswerText } from "@/features/citations/components/AnswerText";
import { citedAddress } from "@/features/citations/lib/address";
import { AnswerContext, type AnswerScope } from "@/features/citations/lib/scope";
import { placeStatements } from "@/features/citations/lib/statements";
import { useT, type Key } from "@/shared/i18n/i18n";
import { markAt } from "../lib/useReader";
import type { EachRow } from "../lib/each";
import type { ChatTurn } from "../lib/request";
import styles from "./AskEach.module.css";

/** What one source says to the question: waiting, growing, an answer with its marks, or that it says nothing. */
export function EachResult({ row, notebookId, onOpen }: { row: EachRow; notebookId: string; onOpen: (address: string) => void }) {
  const t = useT();
  const { turn } = row;
  const said = saidOf(row);
  return (
    <li className={styles.row} data-testid="each-row" data-state={said.state}>
      <p className={styles.head}>
        <span className={styles.title} dir="auto">
          {row.source.title}
        </span>
        <span className={styles.state}>{t(said.words)}</span>
      </p>
      {turn?.answer && said.state !== "nothing" ? <Said turn={turn} rowKey={row.key ?? ""} notebookId={notebookId} onOpen={onOpen} /> : null}
    </li>
  );
}

type State = "waiting" | "asking" | "answered" | "nothing" | "failed" | "stopped";

function saidOf({ key, turn }: EachRow): { state: State; words: Key } {
  if (key === null) return { state: "waiting", words: "each.waiting" };
  if (!turn || turn.status === "running" || turn.status === "queued") return { state: "asking", words: "each.asking" };
  if (turn.status === "stopped") return { state: "stopped", words: "each.stopped" };
  if (turn.status === "failed") return { state: "failed", words: "each.failed" };
  return turn.citations.length > 0 ? { state: "answered", words: "each.answered" } : { state: "nothing", words: "each.nothing" };
}

function Said({ turn, rowKey, notebookId, onOpen }: { turn: ChatTurn; rowKey: string; notebookId: string; onOpen: (address: string) => void }) {
  const { answer, checks, citations } = turn;
  const scope = useMemo<AnswerScope>(
    () => ({
      turnKey: rowKey,
      turnId: turn.id,
      notebookId,
      conversationId: turn.conversation_id,
      citations,
      statements: placeStatements(checks ? (answer ?? "") : "", checks),
      isChecked: checks !== null,
      isQuoted: (turn.degraded ?? []).includes("no_chat_model"),
      host: "dialog",
      open: (mark) => {
        const placed = markAt(mark, turn);
        if (placed) onOpen(citedAddress(notebookId, placed.citation, placed.use, { conversation: turn.conversation_id }));
      },
    }),
    [rowKey, turn, notebookId, answer, checks, citations, onOpen],
  );
  return (
    <div data-turn={rowKey} className={styles.said}>
      <AnswerContext value={scope}>
        <AnswerText text={answer ?? ""} isGrowing={turn.status === "running"} />
      </AnswerContext>
    </div>
  );
}
