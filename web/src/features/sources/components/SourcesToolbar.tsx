import { useEffect, useRef } from "react";
import { SORTS, type Sort } from "@/features/sources/lib/order";
import type { Source } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { useScope } from "@/shared/lib/scope";
import { Menu } from "@/shared/ui/Menu";
import { SearchField } from "@/shared/ui/SearchField";
import styles from "@/features/sources/components/SourcesToolbar.module.css";

const SEARCH_FROM = 8; // below that the list is seen at a glance

interface ToolbarProps {
  notebookId: string;
  sources: Source[];
  query: string;
  onQuery: (query: string) => void;
  sort: Sort;
  onSort: (sort: Sort) => void;
}

/** Tick all, how many are used, sort; a search field where there are many. */
export function SourcesToolbar({ notebookId, sources, query, onQuery, sort, onSort }: ToolbarProps) {
  const t = useT();
  const scope = useScope(notebookId);
  const box = useRef<HTMLInputElement>(null);
  const usable = sources.filter((row) => row.status !== "failed" && row.grant !== "paused");
  const used = usable.filter((row) => !scope.leftOut.has(row.id)).length;
  const isAll = used === usable.length;
  useEffect(() => {
    if (box.current) box.current.indeterminate = used > 0 && !isAll;
  }, [used, isAll]);
  return (
    <div className={styles.toolbar}>
      {sources.length >= SEARCH_FROM ? <SearchField label={t("sources.search")} value={query} onChange={onQuery} /> : null}
      <div className={styles.line}>
        <label className={styles.all}>
          <input
            ref={box}
            type="checkbox"
            checked={isAll && usable.length > 0}
            disabled={usable.length === 0}
            aria-label={t("sources.use_all")}
            onChange={() => scope.setUsed(usable.map((row) => row.id), !isAll)}
          />
          <span className={styles.count}>{t("sources.using", { used, total: usable.length })}</span>
        </label>
        <Menu
          small
          icon="sort"
          label={t("sources.sort")}
          items={SORTS.map((value) => ({ label: t(`sources.sort.${value}`), checked: value === sort, run: () => onSort(value) }))}
        />
      </div>
    </div>
  );
}
