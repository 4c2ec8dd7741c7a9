import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { all, keys } from "@/shared/api/queries";
import type { Source } from "@/shared/api/types";
import { bytes, date, useT } from "@/shared/i18n/i18n";
import { Icon } from "@/shared/ui/Icon";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/library/components/Library.module.css";

const SEARCH_FROM = 8;
const STATES = { failed: "status.not_read", ready: "status.ready", queued: "status.waiting", reading: "status.reading", indexing: "status.indexing", stopped: "status.stopped", paused: "status.paused", needs_approval: "status.waiting" } as const;

/** Every own source in one table. */
export function Library() {
  const t = useT();
  const library = useQuery({ queryKey: keys.library, queryFn: ({ signal }) => all<Source>("/sources", signal) });
  const [query, setQuery] = useState("");
  if (library.isError) return <Trouble error={library.error} onRetry={() => void library.refetch()} />;
  if (!library.data) return null;
  if (library.data.length === 0) return <p className={styles.none}>{t("library.empty")}</p>;
  const wanted = query.trim().toLowerCase();
  const rows = library.data.filter((row) => row.title.toLowerCase().includes(wanted));
  return (
    <>
      {library.data.length >= SEARCH_FROM ? (
        <label className={styles.search}>
          <Icon name="search" size={16} />
          <span className="heard">{t("sources.search")}</span>
          <input type="search" placeholder={t("sources.search")} value={query} onChange={(event) => setQuery(event.target.value)} />
        </label>
      ) : null}
      {rows.length === 0 ? <p className={styles.none}>{t("ui.nothing_matches", { query })}</p> : <Table rows={rows} />}
    </>
  );
}

function Table({ rows }: { rows: Source[] }) {
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
            <th scope="col">{t("library.col.added")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row" dir="auto">
                {row.title}
              </th>
              <td>{t(`sources.kind.${row.kind}`)}</td>
              <td className={row.status === "failed" ? styles.failed : undefined}>{t(STATES[row.status]).replace(/:$/, "")}</td>
              <td className={styles.number}>{row.notebooks ?? t("ui.unknown")}</td>
              <td className={styles.number}>{row.byte_size > 0 ? bytes(row.byte_size) : t("ui.unknown")}</td>
              <td>{date(row.created_at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
