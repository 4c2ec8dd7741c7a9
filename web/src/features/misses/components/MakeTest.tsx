import { useState, type FormEvent } from "react";
import { useMakeQuestion } from "@/features/misses/api";
import { SourceChoice } from "@/features/misses/components/SourceChoice";
import type { Miss } from "@/shared/api/types";
import { t, useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Choice } from "@/shared/ui/Choice";
import { Dialog } from "@/shared/ui/Dialog";
import { Field } from "@/shared/ui/Field";
import { Trouble } from "@/shared/ui/Trouble";
import { toast } from "@/shared/ui/toast";
import styles from "@/features/misses/components/Misses.module.css";

type Expects = "sources" | "nothing";

/** Keeps a question as a test: which sources should be found for it, or that nothing should. */
export function MakeTest({ notebookId, miss, onClose }: { notebookId: string; miss: Miss | null; onClose: () => void }) {
  useT();
  const make = useMakeQuestion(notebookId);
  const [question, setQuestion] = useState(miss?.question ?? "");
  const [expected, setExpected] = useState<Expects>("sources");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isAsked, setAsked] = useState(false);
  const lacksSource = expected === "sources" && chosen.size === 0;
  const lacksQuestion = question.trim() === "";
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setAsked(true);
    if (lacksSource || lacksQuestion) return;
    const done = (): void => {
      toast(t("misses.made"));
      onClose();
    };
    make.mutate({ key: miss?.key ?? null, question: question.trim(), sourceIds: expected === "sources" ? [...chosen] : [] }, { onSuccess: done });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t(miss ? "misses.make" : "misses.new")}
      testId="make-test"
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button look="primary" type="submit" form="make-test-form" disabled={make.isPending}>
            {t("ui.save")}
          </Button>
        </>
      }
    >
      <form id="make-test-form" className={styles.form} onSubmit={submit}>
        {miss ? (
          <p className={styles.question} dir="auto">
            {miss.question}
          </p>
        ) : (
          <Field label={t("misses.questionField")} error={isAsked && lacksQuestion ? t("misses.questionMissing") : null}>
            {(ids) => <textarea {...ids} rows={2} maxLength={4000} dir="auto" data-autofocus="" value={question} onChange={(event) => setQuestion(event.target.value)} />}
          </Field>
        )}
        <Choice
          legend={t("misses.expects")}
          name="expects"
          value={expected}
          options={[
            { value: "sources", label: t("misses.expectsSources"), note: t("misses.expectsSourcesNote") },
            { value: "nothing", label: t("misses.expectsNothing"), note: t("misses.expectsNothingNote") },
          ]}
          onChange={setExpected}
        />
        {expected === "sources" ? <SourceChoice notebookId={notebookId} chosen={chosen} onChange={setChosen} error={isAsked && lacksSource ? t("misses.sourceMissing") : null} /> : null}
        {make.isError ? <Trouble error={make.error} /> : null}
      </form>
    </Dialog>
  );
}
