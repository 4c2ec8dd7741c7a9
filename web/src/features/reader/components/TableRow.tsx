import { memo, useMemo, type Ref } from "react";
import { locator } from "@/features/citations/lib/locator";
import type { Passage } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { sliceByCodePoints } from "@/shared/lib/codepoints";
import type { Goal } from "../lib/goal";
import { citedCells, isNumber, type TableRow } from "../lib/table";
import styles from "./Table.module.css";

export interface RowProps {
  /** For the measuring of its height. */
  ref: Ref<HTMLTableRowElement>;
  index: number;
  /** Of the sheet, from 1. */
  number: number;
  /** Null: not loaded yet, or an empty row. */
  row: TableRow | null;
  sheet: string;
  columns: number;
  goal: Goal | null;
  /** The passage of the goal. */
  passage: Passage | null;
}

const NONE: ReadonlySet<number> = new Set();

/** One row: its number, its stored cells, those of the goal outlined. */
export const Row = memo(function Row({ ref, index, number, row, sheet, columns, goal, passage }: RowProps) {
  const t = useT();
  const isIn = row !== null && goal !== null && passage !== null && row.passage === passage.passage;
  const cited = useMemo(() => (isIn && goal.kind !== "place" ? citedCells(row, goal.at, sliceByCodePoints(passage.text, row.start, row.end)) : NONE), [isIn, row, goal, passage]);
  const isBeside = isIn && goal.kind === "cited" && goal.at.end <= goal.at.start;
  return (
    <tr
      ref={ref}
      data-index={index}
      data-row={number}
      data-where={locator({ kind: "office", sheet, rows: [number, number] }, t)}
      aria-rowindex={index + 2}
      data-cited={(cited.size > 0 && goal?.kind === "cited") || undefined}
      data-beside={isBeside || undefined}
      data-testid={isBeside ? "beside" : undefined}
    >
      <th scope="row" className={styles.number}>
        {String(number)}
      </th>
      {Array.from({ length: columns }, (_, at) => {
        const cell = row?.cells[at] ?? "";
        const isCited = cited.has(at);
        return (
          <td
            key={at}
            dir="auto"
            className={[isNumber(cell) ? styles.figure : "", isCited ? styles[goal?.kind === "match" ? "match" : "cited"] : ""].filter(Boolean).join(" ") || undefined}
            data-testid={isCited && goal?.kind === "cited" ? "highlight" : undefined}
            data-goal={isCited ? "" : undefined}
          >
            {cell.replaceAll("\u2028", "\n")}
          </td>
        );
      })}
    </tr>
  );
});
