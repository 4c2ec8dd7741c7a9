/** Pipe tables of answers: a head line, a line of dashes, rows. */

import { contentOf, lineAt, type Content, type Line } from "./content";

export type Align = "start" | "center" | "end";

export interface Table {
  readonly kind: "table";
  readonly align: readonly Align[];
  readonly head: readonly Content[];
  readonly rows: readonly (readonly Content[])[];
}

const DELIMITER = /^ {0,3}\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

/** The cells of a row, trimmed, each with its own offset. `\|` is a bar inside a cell. */
function cellsOf(line: Line): Content[] {
  const bounds: number[] = [];
  for (let i = 0; i < line.text.length; i += 1) {
    if (line.text[i] === "\\") i += 1;
    else if (line.text[i] === "|") bounds.push(i);
  }
  const starts = [0, ...bounds.map((at) => at + 1)];
  const ends = [...bounds, line.text.length];
  const cells = starts.map((start, at) => {
    const raw = line.text.slice(start, ends[at]);
    const lead = raw.length - raw.trimStart().length;
    return contentOf([{ text: raw.trim(), at: line.at + start + lead }]);
  });
  if (cells.length > 1 && cells[0]?.text === "") cells.shift();
  if (cells.length > 1 && cells[cells.length - 1]?.text === "") cells.pop();
  return cells;
}

function alignOf(cell: Content): Align {
  if (!cell.text.endsWith(":")) return "start";
  return cell.text.startsWith(":") ? "center" : "end";
}

/** Whether a table begins at line `from`: a line with a bar over a line of dashes with as many cells. */
export function tableStarts(lines: readonly Line[], from: number): boolean {
  const head = lines[from];
  const dashes = lines[from + 1];
  if (!head?.text.includes("|") || !dashes || !DELIMITER.test(dashes.text) || !dashes.text.includes("-")) return false;
  return cellsOf(head).length === cellsOf(dashes).length;
}

/** The table at line `from` (see `tableStarts`) and the first line after it. Short rows are filled, long ones cut. */
export function readTable(lines: readonly Line[], from: number): { table: Table; next: number } {
  const head = cellsOf(lineAt(lines, from));
  const align = cellsOf(lineAt(lines, from + 1)).map(alignOf);
  const rows: Content[][] = [];
  let next = from + 2;
  for (; next < lines.length && lineAt(lines, next).text.includes("|"); next += 1) {
    const cells = cellsOf(lineAt(lines, next)).slice(0, head.length);
    while (cells.length < head.length) cells.push(contentOf([{ text: "", at: lineAt(lines, next).at + lineAt(lines, next).text.length }]));
    rows.push(cells);
  }
  return { table: { kind: "table", align, head, rows }, next };
}
