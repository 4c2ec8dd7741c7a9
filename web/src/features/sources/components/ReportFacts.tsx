import { factsOf } from "@/features/sources/lib/report";
import type { Report, Source } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import styles from "@/features/sources/components/ReportDialog.module.css";

// Said by the table above already, with the pages and the reason.
const SAID = new Set(["pages_not_read"]);

/** The report as a table, and its warnings. */
export function ReportFacts({ source, report }: { source: Source; report: Report }) {
  const t = useT();
  const warnings = report.warnings.filter((warning) => !(SAID.has(warning.code) && report.not_read.length > 0));
  return (
    <>
      <dl className={styles.facts}>
        {factsOf(source, report).map((fact) => (
          <div key={fact.key} className={styles.fact}>
            <dt>{t(fact.key)}</dt>
            <dd>
              {fact.value}
              {fact.notes?.map((note) => (
                <span key={note} className={styles.pages}>
                  {note}
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      {warnings.length > 0 ? (
        <section>
          <h3 className={styles.heading}>{t("report.warnings")}</h3>
          <ul className={styles.warnings}>
            {warnings.map((warning, at) => (
              <li key={`${warning.code}-${at}`} lang="en">
                {warning.message}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}
