import { useRef, useState } from "react";
import { useDeleteQuestion, useTestQuestions } from "@/features/misses/api";
import { MakeTest } from "@/features/misses/components/MakeTest";
import { command, expects } from "@/features/misses/lib/words";
import { useSources } from "@/shared/api/queries";
import { useHolderKind } from "@/shared/api/holder";
import type { TestQuestion } from "@/shared/api/types";
import { t as translate, useT } from "@/shared/i18n/i18n";
import { copyText } from "@/shared/lib/clipboard";
import { focusAfterRemoval } from "@/shared/lib/focus";
import { Button } from "@/shared/ui/Button";
import { IconButton } from "@/shared/ui/IconButton";
import { toast } from "@/shared/ui/toast";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/misses/components/Misses.module.css";

/** The questions a change of models or settings can be tested with, and the command that does. */
export function TestQuestions({ notebookId }: { notebookId: string }) {
  const t = useT();
  const kind = useHolderKind();
  const questions = useTestQuestions(notebookId);
  const sources = useSources(notebookId).data ?? [];
  const titles = new Map(sources.map((source) => [source.id, source.title]));
  const [isMaking, setMaking] = useState(false);
  return (
    <div className={styles.part}>
      <p className={styles.lead}>{t("misses.testsLead")}</p>
      {questions.isError ? <Trouble error={questions.error} onRetry={() => void questions.refetch()} /> : null}
      {questions.data?.length === 0 ? (
        <p className={styles.empty} data-testid="questions-empty">
          {t("misses.noTests")}
        </p>
      ) : null}
      {questions.data && questions.data.length > 0 ? (
        <>
          {/* An assistant runs its questions when it is published. */}
          {kind === "notebooks" ? <Command notebookId={notebookId} /> : null}
          <ul className={styles.list} data-testid="questions">
            {questions.data.map((row) => (
              <Row key={row.id} notebookId={notebookId} row={row} expected={expects(row, titles)} />
            ))}
          </ul>
        </>
      ) : null}
      <p>
        <Button icon="add" onClick={() => setMaking(true)}>
          {t("misses.new")}
        </Button>
      </p>
      {isMaking ? <MakeTest notebookId={notebookId} miss={null} onClose={() => setMaking(false)} /> : null}
    </div>
  );
}

function Row({ notebookId, row, expected }: { notebookId: string; row: TestQuestion; expected: string }) {
  const t = useT();
  const remove = useDeleteQuestion(notebookId);
  const item = useRef<HTMLLIElement>(null);
  return (
    <li ref={item} className={styles.row} data-testid="test-question">
      <div className={styles.what}>
        <p className={styles.question} dir="auto">
          {row.question}
        </p>
        <p className={styles.meta}>
          <span dir="auto">{row.source_ids.length > 0 ? `${t("misses.shouldFind")} ${expected}` : expected}</span>
        </p>
      </div>
      <div className={styles.ways}>
        <IconButton
          icon="trash"
          label={t("misses.deleteFor", { question: row.question })}
          disabled={remove.isPending}
          onClick={() => {
            focusAfterRemoval(item.current);
            remove.mutate(row);
          }}
        />
      </div>
    </li>
  );
}

function Command({ notebookId }: { notebookId: string }) {
  const t = useT();
  const text = command(notebookId);
  return (
    <div className={styles.command}>
      <p>{t("misses.run")}</p>
      <div className={styles.shell}>
        <code dir="ltr" tabIndex={0} data-testid="eval-command">
          {text}
        </code>
        <IconButton small icon="copy" label={t("misses.copy")} onClick={() => void copyText(text).then((done) => done && toast(translate("ui.copied")))} />
      </div>
    </div>
  );
}
