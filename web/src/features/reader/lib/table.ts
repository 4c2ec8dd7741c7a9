/** Rows and cells of a table: which of them a range of a passage covers, how wide columns are, which rows are loaded together. */

import { codePointLength, offsetMap, sliceByCodePoints } from "@/shared/lib/codepoints";
import type { At } from "@/features/citations/lib/address";

export interface TableRow {
  /** Of the sheet, from 1. */
  readonly row: number;
  readonly passage: number;
  /** Its line in the passage, code points. */
  readonly start: number;
  readonly end: number;
  readonly cells: readonly string[];
}

export interface TablePart {
  readonly sheets: readonly { readonly name: string; readonly rows: number }[];
  readonly sheet: string;
  readonly header: readonly string[] | null;
  readonly from: number;
  readonly to: number;
  readonly rows: readonly TableRow[];
  readonly total: number;
}

export const BLOCK = 100; // rows a request

/** The blocks (counted from 0) that hold rows `from` to `to`, both inclusive, from 1. */
export function blocksOf(from: number, to: number): readonly number[] {
  const first = Math.floor((Math.max(1, from) - 1) / BLOCK);
  const last = Math.floor((Math.max(1, to) - 1) / BLOCK);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
}

/** The row of the sheet that code point `start` of a passage lies on: its lines are the rows from `firstRow` on. */
export function rowAt(text: string, firstRow: number, start: number): number {
  return firstRow + sliceByCodePoints(text, 0, start).split("\n").length - 1;
}

/**
 * Which cells of a row a range of its passage touches; `line` is the row's text. Cells that cannot be told apart in the
 * line (their words were changed for it) all count as touched when the row is.
 */
export function citedCells(row: TableRow, at: At, line: string): ReadonlySet<number> {
  if (row.passage !== at.passage || at.end <= at.start || row.end <= at.start || row.start >= at.end) return new Set();
  const map = offsetMap(line);
  const cited = new Set<number>();
  let from = 0;
  for (const [index, cell] of row.cells.entries()) {
    if (cell === "") continue;
    const unit = line.indexOf(cell, from);
    if (unit < 0) return new Set(row.cells.keys());
    from = unit + cell.length;
    const start = row.start + map.toPoints(unit);
    if (start < at.end && start + codePointLength(cell) > at.start) cited.add(index);
  }
  return cited;
}

const NARROWEST = 72;
const WIDEST = 320;
const LETTER = 8; // px; a digit of the interface's type
const PADDING = 26;

/** Column widths in px from what the first rows hold: wide enough for most cells, long texts wrap. */
export function columnWidths(header: readonly string[] | null, rows: readonly TableRow[]): readonly number[] {
  const count = Math.max(header?.length ?? 0, ...rows.map((row) => row.cells.length), 1);
  return Array.from({ length: count }, (_, at) => {
    const lengths = rows.map((row) => row.cells[at]?.length ?? 0).sort((a, b) => a - b);
    const usual = Math.max(header?.[at]?.length ?? 0, lengths[Math.floor(lengths.length * 0.95)] ?? 0);
    return Math.min(WIDEST, Math.max(NARROWEST, usual * LETTER + PADDING));
  });
}

/** "A", "Z", "AA": the name of a column without a header. */
export function columnName(at: number): string {
  return (at >= 26 ? columnName(Math.floor(at / 26) - 1) : "") + String.fromCharCode(65 + (at % 26));
}

/** Numbers stand at the end of their cell, so that their places lie under each other. */
export const isNumber = (cell: string): boolean => /^[-+−(]?\s?[\d.,'’\u00a0\u202f ]*\d[\d.,'’\u00a0\u202f ]*\)?\s?[%‰]?$/.test(cell.trim());
