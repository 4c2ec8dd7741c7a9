import type { Source } from "@/shared/api/types";
import { bytes, date, money, useT } from "@/shared/i18n/i18n";
import { iconOf, kindName } from "@/shared/lib/kinds";
import { Icon } from "@/shared/ui/Icon";
import styles from "@/features/library/components/Library.module.css";

const STATES = {
  failed: "status.not_read", ready: "status.ready", queued: "status.waiting", reading: "status.reading", indexing: "status.indexing", stopped: "status.stopped", paused: "status.paused", needs_approval: "status.needs_yes",
} as const;

/** Kind, state, size, cost and labels of each source. */
export function LibraryTable({ rows }: { rows: Source[] }) {
  const t = useT();
  return (
    <div className={styles.card} role="region" aria-label={t("library.title")} tabIndex={0}>
      <table className={styles.table} data-testid="library">
        <thead>
          <tr>
            <th scope="col">{t("library.col.title")}</th>
            <th scope="col">{t("library.col.kind")}</th>
            <th scope="col">{t("library.col.state")}</th>
            <th scope="col" className={styles.number}>
              {t("library.col.notebooks")}
            </th>
            <th scope="col" className={styles.number}>
              {t("library.col.size")}
            </th>
            <th scope="col" className={styles.number}>
              {t("library.col.cost")}
            </th>
            <th scope="col">{t("library.col.added")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.id} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row }: { row: Source }) {
  const t = useT();
  return (
    <tr>
      <th scope="row" dir="auto">
        {row.title}
        {row.labels.length > 0 ? (
          <span className={styles.labels}>
            {row.labels.map((label) => (
              <span key={label} className={styles.label}>
                {label}
              </span>
            ))}
          </span>
        ) : null}
      </th>
      <td>
        <span className={styles.kind}>
          <Icon name={iconOf(row)} size={16} />
          {kindName(row)}
        </span>
      </td>
      <td className={row.status === "failed" ? styles.failed : undefined}>
        {t(STATES[row.status]).replace(/\s?:$/, "")}
        {row.stale ? <span className={styles.stale}>{t("library.stale")}</span> : null}
      </td>
      <td className={styles.number}>{row.notebooks ?? t("ui.unknown")}</td>
      <td className={styles.number}>{row.byte_size > 0 ? bytes(row.byte_size) : t("ui.unknown")}</td>
      <td className={styles.number}>{row.cost === null ? t("ui.unknown") : money(row.cost, row.report?.currency ?? row.estimate?.currency)}</td>
      <td>{date(row.created_at)}</td>
    </tr>
  );
}
