import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { LibraryTable } from "@/features/library/components/LibraryTable";
import { all, keys } from "@/shared/api/queries";
import type { Source } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { lookName, lookOf, LOOKS, type Look } from "@/shared/lib/kinds";
import { SearchField } from "@/shared/ui/SearchField";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/library/components/Library.module.css";
import toolbar from "@/shared/ui/Toolbar.module.css";

const SEARCH_FROM = 8;

/** Every own source in one table, narrowed by words and by kind. */
export function Library() {
  const t = useT();
  const library = useQuery({ queryKey: keys.library, queryFn: ({ signal }) => all<Source>("/sources", signal) });
  const [query, setQuery] = useState("");
  const [look, setLook] = useState<Look | "">("");
  if (library.isError) return <Trouble error={library.error} onRetry={() => void library.refetch()} />;
  if (!library.data) return null;
  if (library.data.length === 0) return <p className={styles.none}>{t("library.empty")}</p>;
  const looks = LOOKS.map((one) => ({ look: one, n: library.data.filter((row) => lookOf(row) === one).length })).filter(({ n }) => n > 0);
  const rows = library.data.filter((row) => (look === "" || lookOf(row) === look) && holds(row, query));
  return (
    <>
      {library.data.length >= SEARCH_FROM || looks.length > 1 ? (
        <div className={toolbar.toolbar}>
          {library.data.length >= SEARCH_FROM ? <SearchField label={t("sources.search")} value={query} onChange={setQuery} /> : null}
          {looks.length > 1 ? (
            <select className={toolbar.pick} aria-label={t("library.kind")} value={look} onChange={(event) => setLook(event.target.value as Look | "")}>
              <option value="">{t("library.kind_all")}</option>
              {looks.map(({ look: one, n }) => (
                <option key={one} value={one}>
                  {t("library.kind_one", { kind: lookName(one), n })}
                </option>
              ))}
            </select>
          ) : null}
          <span className={toolbar.count}>{t("library.count", { n: rows.length })}</span>
        </div>
      ) : null}
      {rows.length > 0 ? <LibraryTable rows={rows} /> : <p className={styles.none}>{query ? t("ui.nothing_matches", { query }) : t("library.none_of_kind")}</p>}
    </>
  );
}

function holds(row: Source, query: string): boolean {
  const wanted = query.trim().toLowerCase();
  return wanted === "" || [row.title, row.file_name, row.url, ...row.authors, ...row.labels].some((text) => text?.toLowerCase().includes(wanted));
}
