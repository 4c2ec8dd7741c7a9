import { useLocation } from "wouter";
import { useDeed } from "@/features/sources/api";
import { factsOf, pageList } from "@/features/sources/lib/report";
import { reasonOf } from "@/features/sources/lib/status";
import type { Source } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { MODELS } from "@/shared/lib/addresses";
import { copyText } from "@/shared/lib/clipboard";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { Note } from "@/shared/ui/Note";
import { toast } from "@/shared/ui/toast";
import styles from "@/features/sources/components/ReportDialog.module.css";

interface ReportProps {
  source: Source;
  notebookId: string;
  canEdit: boolean;
  onClose: () => void;
}

/** State 7: page by page what was read and how, what was not and why, and what can be done. */
export function ReportDialog({ source, notebookId, canEdit, onClose }: ReportProps) {
  const t = useT();
  const [, go] = useLocation();
  const deed = useDeed(notebookId);
  const report = source.report;
  const needsVision = source.error?.code === "no_text_layer" || report?.not_read.some((page) => page.code === "no_text_layer");
  const again = (): void => deed.mutate({ id: source.id, deed: source.status === "failed" ? "retry" : "reread" }, { onSuccess: onClose });
  const copy = (): void => {
    const facts = { source: source.id, title: source.title, status: source.status, error: source.error, report };
    void copyText(JSON.stringify(facts, null, 2)).then((done) => done && toast(t("ui.copied")));
  };
  const actions = (
    <>
      <Button look="quiet" icon="copy" onClick={copy}>
        {t("report.copy")}
      </Button>
      {canEdit && needsVision ? <Button onClick={() => go(MODELS)}>{t("report.connect_vision")}</Button> : null}
      {canEdit ? (
        <Button disabled={deed.isPending} onClick={again}>
          {t("report.read_again")}
        </Button>
      ) : null}
    </>
  );
  return (
    <Dialog open onClose={onClose} title={t("report.title")} testId="report" actions={actions}>
      <p className={styles.source} dir="auto">
        {source.title}
      </p>
      {source.error ? (
        <div className={styles.error}>
          <Note tone="error" icon="warning">
            <p>
              <strong>{t("status.not_read")}</strong> {reasonOf(source.error.code, source.error.message, source.pages)}
            </p>
            <p className={styles.code}>
              {t("report.error_code")}: <code>{source.error.code}</code>
            </p>
          </Note>
        </div>
      ) : null}
      {report ? (
        <dl className={styles.facts}>
          {factsOf(report).map((fact) => (
            <div key={fact.key} className={styles.fact}>
              <dt>{t(fact.key)}</dt>
              <dd>
                {fact.value}
                {fact.pages ? <span className={styles.pages}>{pageList(fact.pages)}</span> : null}
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
      {!report && !source.error ? <p className={styles.none}>{t("report.none_yet")}</p> : null}
      {report && report.warnings.length > 0 ? (
        <section>
          <h3 className={styles.heading}>{t("report.warnings")}</h3>
          <ul className={styles.warnings}>
            {report.warnings.map((warning, at) => (
              <li key={`${warning.code}-${at}`}>{warning.message}</li>
            ))}
          </ul>
        </section>
      ) : null}
    </Dialog>
  );
}
