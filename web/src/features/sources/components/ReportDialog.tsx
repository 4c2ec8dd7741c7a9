import { ReportFacts } from "@/features/sources/components/ReportFacts";
import { RemedyWay } from "@/features/sources/components/RemedyWay";
import { reasonOf, remediesOf } from "@/features/sources/lib/reasons";
import { statusLine } from "@/features/sources/lib/status";
import { useHasModel } from "@/shared/api/queries";
import type { Source } from "@/shared/api/types";
import { date, useT } from "@/shared/i18n/i18n";
import { copyText } from "@/shared/lib/clipboard";
import { iconOf, kindName } from "@/shared/lib/kinds";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { Icon } from "@/shared/ui/Icon";
import { Note } from "@/shared/ui/Note";
import { toast } from "@/shared/ui/toast";
import styles from "@/features/sources/components/ReportDialog.module.css";

interface ReportProps {
  source: Source;
  notebookId: string;
  canEdit: boolean;
  onClose: () => void;
}

/** State 7: what was read and how, what was not and why, what it cost, and what can be done. */
export function ReportDialog({ source, notebookId, canEdit, onClose }: ReportProps) {
  const t = useT();
  const hasVision = useHasModel("vision");
  const remedies = canEdit ? remediesOf(source, hasVision) : [];
  const { report } = source;
  const copy = (): void => {
    const facts = { source: source.id, title: source.title, status: source.status, error: source.error, report };
    void copyText(JSON.stringify(facts, null, 2)).then((done) => done && toast(t("ui.copied")));
  };
  const actions = (
    <Button look="quiet" icon="copy" onClick={copy}>
      {t("report.copy")}
    </Button>
  );
  return (
    <Dialog open onClose={onClose} title={t("report.title")} testId="report" actions={actions}>
      <Head source={source} />
      {source.error ? (
        <div className={styles.error}>
          <Note tone="error" icon="warning">
            <p>
              <strong>{t("status.not_read")}</strong> {reasonOf(source.error.code, source.error.message, source, hasVision)}
            </p>
            {hasVision && source.error.code === "no_text_layer" ? (
              <p className={styles.code} lang="en">
                {source.error.message}
              </p>
            ) : null}
            <p className={styles.code}>
              {t("report.error_code")}: <code>{source.error.code}</code>
            </p>
          </Note>
        </div>
      ) : null}
      {source.status === "needs_approval" ? (
        <div className={styles.error}>
          <Note tone="warning" icon="warning">
            {statusLine(source).text}
          </Note>
        </div>
      ) : null}
      {remedies.length > 0 ? (
        <div className={styles.remedies} role="group" aria-label={t("report.remedies")}>
          {remedies.map((remedy) => (
            <RemedyWay key={remedy} remedy={remedy} source={source} notebookId={notebookId} look="plain" onDone={onClose} />
          ))}
        </div>
      ) : null}
      {source.summary ? <Summary source={source} summary={source.summary} /> : null}
      {report ? <ReportFacts source={source} report={report} /> : null}
      {!report && !source.error ? <p className={styles.none}>{t("report.none_yet")}</p> : null}
    </Dialog>
  );
}

function Head({ source }: { source: Source }) {
  const t = useT();
  const dates = [
    source.fetched_at ? t("report.fetched", { when: date(source.fetched_at) }) : null,
    source.status === "ready" && source.ready_at && !source.fetched_at ? t("report.dates", { when: date(source.ready_at) }) : null,
    source.stale ? t("sources.stale") : null,
  ].filter(Boolean);
  return (
    <div className={styles.source}>
      <p className={styles.title} dir="auto">
        {source.title}
      </p>
      <p className={styles.meta}>
        <Icon name={iconOf(source)} size={14} />
        <span>{[kindName(source), ...dates].join(" · ")}</span>
      </p>
    </div>
  );
}

/** What it is about, and whose words these are. */
function Summary({ source, summary }: { source: Source; summary: string }) {
  const t = useT();
  const kind = source.summary_kind;
  return (
    <section className={styles.summary} data-testid="summary">
      <h3 className={styles.heading}>
        {t("report.summary")}
        {kind ? (
          <span className={styles.chip} title={t(`report.${kind}_note`)}>
            {t(`report.${kind}`)}
          </span>
        ) : null}
      </h3>
      <p dir="auto">{summary}</p>
    </section>
  );
}
