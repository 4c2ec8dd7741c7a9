import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState, type RefObject } from "react";
import { bring } from "@/features/citations/lib/bring";
import type { Passage } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Trouble } from "@/shared/ui/Trouble";
import type { Goal } from "../lib/goal";
import { usePassageAt } from "../lib/queries";
import { columnName, rowAt, type TablePart, type TableRow } from "../lib/table";
import { useRows, useSheet } from "../lib/useTable";
import { SheetTabs } from "./SheetTabs";
import { Row } from "./TableRow";
import styles from "./Table.module.css";

export interface TableViewProps {
  sourceId: string;
  reading: string | null;
  goal: Goal | null;
  scroller: RefObject<HTMLDivElement | null>;
  onMarked: (isMarked: boolean) => void;
}

/** A table by sheets with its stored cells; those of the goal are outlined. Rows are built where they are seen. */
export function TableView({ sourceId, reading, goal, scroller, onMarked }: TableViewProps) {
  const t = useT();
  const aimed = usePassageAt(sourceId, reading, goal?.at.passage ?? 0, goal !== null);
  const passage = aimed.data?.items.find((item) => item.passage === goal?.at.passage) ?? null;
  const [chosen, setChosen] = useState<{ name: string; serial: number } | null>(null);
  const serial = goal?.serial ?? 0;
  // A new goal opens its own sheet; until then the person's choice stands.
  const name = chosen?.serial === serial ? chosen.name : (passage?.sheet ?? null);
  const isKnown = goal === null || !aimed.isPending;
  const { first, widths, error, refetch } = useSheet(sourceId, reading, isKnown ? name : null);
  if (error && !first) return <Trouble error={error} onRetry={refetch} />;
  if (!first || !isKnown) return <p className={styles.wait}>{t("reader.loading")}</p>;
  return (
    <div className={styles.table} data-testid="table-view">
      {first.sheets.length > 1 ? <SheetTabs sheets={first.sheets} value={first.sheet} onChange={(next) => setChosen({ name: next, serial })} /> : null}
      <Grid key={first.sheet} sourceId={sourceId} reading={reading} sheet={name} first={first} widths={widths} hasTabs={first.sheets.length > 1} goal={goal} passage={passage} scroller={scroller} onMarked={onMarked} />
    </div>
  );
}

interface GridProps extends TableViewProps {
  sheet: string | null;
  first: TablePart;
  widths: readonly number[];
  hasTabs: boolean;
  /** The passage of the goal. */
  passage: Passage | null;
}

const ROW = 33; // px; most rows are one line high, the others are measured
const HEAD = 33; // px; the frozen row of column names
const TABS = 40;
const LATER = 160; // px; width of a column that the first rows do not have
const NUMBERS = 64; // px; width of the row numbers

function Grid(props: GridProps) {
  const { first, hasTabs, goal, passage, scroller } = props;
  const t = useT();
  const isHere = passage !== null && (passage.sheet ?? "") === first.sheet;
  const { begin, count } = extent(first);
  const virtual = useVirtualizer({ count, getScrollElement: () => scroller.current, estimateSize: () => ROW, overscan: Math.max(2, 12 - Math.round(props.widths.length / 10)), scrollMargin: hasTabs ? TABS + HEAD : HEAD });
  const items = virtual.getVirtualItems();
  const [seen, last] = [items[0], items.at(-1)];
  const { rows, isLoaded } = useRows(props.sourceId, props.reading, props.sheet, (seen?.index ?? 0) + begin, (last?.index ?? 0) + begin);
  const widths = useAllColumns(props.widths, rows);
  const goalRow = isHere && goal && passage.rows ? rowAt(passage.text, passage.rows[0], goal.at.start) : null;
  useGoing(virtual.scrollToIndex, goal, goalRow === null ? null : goalRow - begin);
  const isThere = goalRow !== null && items.some((item) => item.index === goalRow - begin) && isLoaded(goalRow) && rows.has(goalRow);
  useMarked(scroller, goal, isThere, props.onMarked);
  const total = virtual.getTotalSize();
  const margin = virtual.options.scrollMargin;
  return (
    <table className={styles.grid} aria-rowcount={count + 1} aria-label={first.sheet || t("reader.table")} data-tabs={hasTabs || undefined}>
      <colgroup>
        <col style={{ width: NUMBERS }} />
        {widths.map((width, at) => (
          <col key={at} style={{ width }} />
        ))}
      </colgroup>
      <thead>
        <tr aria-rowindex={1}>
          <td className={styles.corner} />
          {widths.map((_, at) => (
            <th key={at} scope="col" dir="auto">
              {first.header?.[at] || columnName(at)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <Space height={seen ? seen.start - margin : 0} />
        {items.map((item) => (
          <Row key={item.key} ref={virtual.measureElement} index={item.index} number={item.index + begin} row={rows.get(item.index + begin) ?? null} sheet={first.sheet} columns={widths.length} goal={isHere ? goal : null} passage={isHere ? passage : null} />
        ))}
        <Space height={last ? total - (last.end - margin) : 0} />
      </tbody>
    </table>
  );
}

/** Number of the first row under the frozen head, which may be the first row itself, and how many rows there are from it on. */
function extent(first: TablePart): { begin: number; count: number } {
  const top = first.rows[0];
  const isHead = first.header !== null && (top?.row !== 1 || first.header.every((cell, at) => cell === (top.cells[at] ?? "")));
  const begin = isHead ? 2 : 1;
  const last = first.sheets.find((known) => known.name === first.sheet)?.rows ?? first.total;
  return { begin, count: Math.max(0, last - begin + 1) };
}

/** The widths of the columns known from the beginning, and of those that only rows further down have. */
function useAllColumns(widths: readonly number[], rows: ReadonlyMap<number, TableRow>): readonly number[] {
  const [count, setCount] = useState(widths.length);
  const most = Math.max(count, ...[...rows.values()].map((row) => row.cells.length));
  if (most > count) setCount(most);
  return useMemo(() => Array.from({ length: most }, (_, at) => widths[at] ?? LATER), [widths, most]);
}

/** Room of the rows that are not built. */
function Space({ height }: { height: number }) {
  return height > 0 ? <tr aria-hidden="true" className={styles.space} style={{ height }} /> : null;
}

function useGoing(scrollTo: (index: number, options: { align: "center" }) => void, goal: Goal | null, index: number | null): void {
  const done = useRef(-1);
  useEffect(() => {
    if (!goal || index === null || done.current === goal.serial) return;
    done.current = goal.serial;
    scrollTo(index, { align: "center" });
  }, [scrollTo, goal, index]);
}

/** Tells whether the goal's cells are marked, and brings them into view sideways, once its row is there. */
function useMarked(scroller: RefObject<HTMLDivElement | null>, goal: Goal | null, isThere: boolean, onMarked: (isMarked: boolean) => void): void {
  const done = useRef(-1);
  useEffect(() => {
    if (!goal || !isThere || done.current === goal.serial) return;
    done.current = goal.serial;
    const cell = scroller.current?.querySelector("[data-goal]");
    if (cell) bring(cell, "center");
    if (goal.kind === "cited") onMarked(cell !== null && cell !== undefined);
  }, [scroller, goal, isThere, onMarked]);
}
