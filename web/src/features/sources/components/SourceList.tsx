import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { SourceRow, type RowPlace } from "@/features/sources/components/SourceRow";
import { UploadRow } from "@/features/sources/components/UploadRow";
import type { Upload } from "@/features/sources/lib/uploads";
import type { Notebook, Source } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { useShortcuts } from "@/shared/lib/shortcuts";
import styles from "@/features/sources/components/SourceList.module.css";

const VIRTUAL_FROM = 100;
const ROW_PX = 62; // a guess for rows not yet measured

type DrawRow = (source: Source, place?: RowPlace) => React.ReactNode;

interface ListProps {
  notebook: Notebook;
  sources: Source[];
  uploads: Upload[];
  openId: string | null;
  canEdit: boolean;
  onOpen: (sourceId: string) => void;
}

/** The rows; over 100 of them only those in view exist. `j` and `k` go through them, Space ticks. */
export function SourceList({ notebook, sources, uploads, openId, canEdit, onOpen }: ListProps) {
  const t = useT();
  const scroller = useRef<HTMLDivElement>(null);
  useShortcuts({ j: () => step(scroller.current, 1), k: () => step(scroller.current, -1) });
  const row: DrawRow = (source, place) => (
    <SourceRow key={source.id} source={source} notebook={notebook} isOpen={source.id === openId} canEdit={canEdit} onOpen={onOpen} place={place} />
  );
  return (
    <div ref={scroller} className={styles.scroller}>
      <ul aria-label={t("sources.label")} className={styles.list}>
        {uploads.map((upload) => (
          <UploadRow key={upload.key} upload={upload} />
        ))}
        {sources.length <= VIRTUAL_FROM ? sources.map((source) => row(source)) : null}
      </ul>
      {sources.length > VIRTUAL_FROM ? <ManyRows sources={sources} scroller={scroller} row={row} /> : null}
    </div>
  );
}

function ManyRows({ sources, scroller, row }: { sources: Source[]; scroller: React.RefObject<HTMLDivElement | null>; row: DrawRow }) {
  const t = useT();
  const rows = useVirtualizer({
    count: sources.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (at) => sources[at]?.id ?? at,
    overscan: 8,
  });
  const seen = rows.getVirtualItems();
  const start = seen[0]?.start ?? 0;
  return (
    <div className={styles.many} style={{ height: rows.getTotalSize() }}>
      <ul aria-label={t("sources.label")} className={styles.window} style={{ transform: `translateY(${start}px)` }}>
        {seen.map((item) => {
          const source = sources[item.index];
          return source ? row(source, { index: item.index, of: sources.length, measure: rows.measureElement }) : null;
        })}
      </ul>
    </div>
  );
}

function step(scroller: HTMLElement | null, by: number): void {
  const titles = [...(scroller?.querySelectorAll<HTMLElement>("[data-row-focus]") ?? [])];
  const at = titles.findIndex((title) => title.closest("li")?.contains(document.activeElement));
  const next = titles[Math.min(titles.length - 1, Math.max(0, at + by))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}
