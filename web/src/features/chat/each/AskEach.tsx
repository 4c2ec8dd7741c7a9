import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { CitationCard } from "@/features/citations/components/CitationCard";
import { keys, useSources } from "@/shared/api/queries";
import type { Source } from "@/shared/api/types";
import { t as translate, useT } from "@/shared/i18n/i18n";
import { workspaceAddress } from "@/shared/lib/addresses";
import { useScope } from "@/shared/lib/scope";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { Note } from "@/shared/ui/Note";
import { askable, EachRun, ROUND, type EachState } from "../lib/each";
import { words } from "../components/refusedWords";
import type { ChatTurn } from "../lib/request";
import { EachChoice } from "./EachChoice";
import { EachResult } from "./EachResult";
import styles from "./AskEach.module.css";

interface AskEachProps {
  /** The answer under which it was chosen. */
  turn: ChatTurn;
  onClose: () => void;
}

/** The same question asked of each source alone, after a yes: a list that fills one after another, and can be stopped. */
export default function AskEach(props: AskEachProps) {
  const notebookId = props.turn.notebook_id;
  const { leftOut } = useScope(notebookId);
  const sources = useSources(notebookId).data;
  const [asked, setAsked] = useState<readonly Source[] | null>(null);
  if (!sources) return null;
  if (asked) return <Opened {...props} sources={asked} />;
  return <EachChoice turn={props.turn} sources={askable(sources)} leftOut={leftOut} onAsk={setAsked} onClose={props.onClose} />;
}

function Opened({ turn, sources, onClose }: AskEachProps & { sources: readonly Source[] }) {
  const { notebook_id: notebookId, question } = turn;
  const t = useT();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [state, setState] = useState<EachState | null>(null);
  const [run] = useState(() => new EachRun(notebookId, question, translate("each.name", { question }).slice(0, 200), sources, setState));
  useEffect(() => {
    void run.start();
    return () => {
      void run.stop();
      void client.invalidateQueries({ queryKey: keys.conversations(notebookId) });
    };
  }, [run, client, notebookId]);
  const { rows, isRunning, conversation, refused } = state ?? run.now();
  const done = rows.filter((row) => row.turn && row.turn.status !== "running").length;
  const left = rows.filter((row) => row.key === null).length;
  const leave = (address: string): void => {
    onClose();
    navigate(address);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("each.title")}
      size="large"
      testId="ask-each-dialog"
      actions={
        <>
          {conversation && !isRunning ? <Button onClick={() => leave(workspaceAddress(notebookId, conversation))}>{t("each.open")}</Button> : null}
          {isRunning ? (
            <Button icon="stop" onClick={() => void run.stop()} data-testid="each-stop">
              {t("chat.stop")}
            </Button>
          ) : left > 0 ? (
            <Button look="primary" onClick={() => void run.start()} data-testid="each-go-on">
              {t("each.goOn", { n: Math.min(left, ROUND) })}
            </Button>
          ) : null}
        </>
      }
    >
      <p className={styles.question} dir="auto">
        {question}
      </p>
      <p className={styles.far} role="status">
        {t("each.far", { done, n: rows.length })}
      </p>
      {refused ? (
        <Note tone="warning" icon="warning" testId="each-refused">
          {words(refused, refused.retryAfterS)}
        </Note>
      ) : null}
      <ol>
        {rows.map((row) => (
          <EachResult key={row.source.id} row={row} notebookId={notebookId} onOpen={leave} />
        ))}
      </ol>
      <CitationCard host="dialog" />
    </Dialog>
  );
}
