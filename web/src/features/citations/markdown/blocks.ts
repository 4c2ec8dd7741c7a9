/** The block part of the small Markdown that answers are written in: paragraphs, lists, quotes, tables, code, equations, rules. */

import { contentOf, lineAt, type Content, type Line } from "./content";
import { readTable, tableStarts, type Table } from "./table";

interface Range {
  readonly start: number;
  readonly end: number;
}
export interface Item extends Range {
  readonly blocks: readonly Block[];
}
export type Block =
  | (Range & { readonly kind: "paragraph"; readonly content: Content })
  | (Range & { readonly kind: "heading"; readonly level: number; readonly content: Content })
  | (Range & { readonly kind: "code"; readonly language: string; readonly text: string })
  | (Range & { readonly kind: "equation"; readonly text: string })
  | (Range & { readonly kind: "list"; readonly ordered: boolean; readonly first: number; readonly items: readonly Item[] })
  | (Range & { readonly kind: "quote"; readonly blocks: readonly Block[] })
  | (Range & { readonly kind: "rule" })
  | (Range & Table);

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?)[ \t]*#*[ \t]*)?$/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( *)([-*+•]|\d{1,9}[.)])(?:[ \t]+|$)/;
const EQUATION = /^ {0,3}(\$\$|\\\[)/;

/** Quotes and lists inside one another: thousands of signs in a line, as a hostile text has them, must not fill the stack. */
const DEEPEST = 12;

const isBlank = (line: Line | undefined): boolean => line === undefined || line.text.trim() === "";
const endOf = (line: Line): number => line.at + line.text.length;
const cut = (line: Line, count: number): Line => ({ text: line.text.slice(count), at: line.at + count });
const indentOf = (line: Line): number => line.text.length - line.text.trimStart().length;

interface Taken {
  readonly block: Block;
  readonly next: number;
}

function takeCode(lines: readonly Line[], from: number): Taken | null {
  const first = lineAt(lines, from);
  const open = FENCE.exec(first.text);
  if (!open) return null;
  const fence = (open[1] ?? "```");
  const closing = new RegExp(`^ {0,3}${fence[0] === "~" ? "~" : "`"}{${fence.length},}\\s*$`);
  let next = from + 1;
  while (next < lines.length && !closing.test(lineAt(lines, next).text)) next += 1;
  const text = lines.slice(from + 1, next).map((line) => line.text).join("\n");
  const last = lineAt(lines, Math.min(next, lines.length - 1));
  return { block: { kind: "code", language: (open[2] ?? "").trim(), text, start: first.at, end: endOf(last) }, next: next + 1 };
}

function takeEquation(lines: readonly Line[], from: number): Taken | null {
  const first = lineAt(lines, from);
  const open = EQUATION.exec(first.text);
  if (!open) return null;
  const close = open[1] === "$$" ? "$$" : "\\]";
  let text = first.text.slice(open[0].length);
  let at = from;
  while (!text.includes(close) && at + 1 < lines.length && !isBlank(lines[at + 1])) {
    at += 1;
    text += `\n${lineAt(lines, at).text}`;
  }
  const stop = text.indexOf(close);
  // Words after the closing sign make it an inline equation of a paragraph.
  if (stop < 0 || text.slice(stop + close.length).trim() !== "") return null;
  return { block: { kind: "equation", text: text.slice(0, stop).trim(), start: first.at, end: endOf(lineAt(lines, at)) }, next: at + 1 };
}

function takeHeading(lines: readonly Line[], from: number): Taken | null {
  const line = lineAt(lines, from);
  const match = HEADING.exec(line.text);
  if (!match) return null;
  const words = match[2] ?? "";
  const skipped = words ? line.text.indexOf(words, (match[1] ?? "").length) : line.text.length;
  const content = contentOf([{ text: words, at: line.at + skipped }]);
  return { block: { kind: "heading", level: (match[1] ?? "").length, content, start: line.at, end: endOf(line) }, next: from + 1 };
}

function takeQuote(lines: readonly Line[], from: number, depth: number): Taken | null {
  if (depth >= DEEPEST) return null;
  const inner: Line[] = [];
  let next = from;
  for (; next < lines.length; next += 1) {
    const sign = QUOTE.exec(lineAt(lines, next).text);
    if (!sign) break;
    inner.push(cut(lineAt(lines, next), sign[0].length));
  }
  if (inner.length === 0) return null;
  return { block: { kind: "quote", blocks: parseLines(inner, depth + 1), start: lineAt(lines, from).at, end: endOf(lineAt(lines, next - 1)) }, next };
}

interface Marker {
  readonly indent: number;
  readonly width: number;
  readonly ordered: boolean;
  readonly number: number;
  readonly sign: string;
}

function markerOf(line: Line | undefined): Marker | null {
  if (line === undefined || RULE.test(line.text)) return null;
  const match = ITEM.exec(line.text);
  if (!match) return null;
  const sign = (match[2] ?? "");
  const ordered = /\d/.test(sign);
  return { indent: (match[1] ?? "").length, width: match[0].length, ordered, number: ordered ? Number.parseInt(sign, 10) : 1, sign: sign.slice(-1) };
}

/** Whether the line after `at` begins something that ends a paragraph. */
function interrupts(lines: readonly Line[], at: number): boolean {
  const line = lineAt(lines, at);
  const marker = markerOf(line);
  if (marker) return !marker.ordered || marker.number === 1;
  return FENCE.test(line.text) || HEADING.test(line.text) || RULE.test(line.text) || QUOTE.test(line.text);
}

function itemEnd(lines: readonly Line[], from: number, marker: Marker): number {
  let next = from + 1;
  for (; next < lines.length; next += 1) {
    const line = lineAt(lines, next);
    if (isBlank(line)) {
      const after = lines.slice(next).findIndex((later) => !isBlank(later));
      if (after < 0 || indentOf(lineAt(lines, next + after)) <= marker.indent) return next;
      continue;
    }
    // Two blanks are enough to belong to the item: models rarely count columns.
    if (indentOf(line) >= marker.indent + 2) continue;
    const sibling = markerOf(line);
    if (sibling || isBlank(lines[next - 1]) || interrupts(lines, next)) return next;
  }
  return next;
}

function takeList(lines: readonly Line[], from: number, depth: number): Taken | null {
  const marker = markerOf(lines[from]);
  if (!marker || depth >= DEEPEST) return null;
  const items: Item[] = [];
  let next = from;
  let end = endOf(lineAt(lines, from));
  for (;;) {
    const own = markerOf(lines[next]);
    const isSibling = own && own.sign === marker.sign && own.ordered === marker.ordered && own.indent < marker.indent + 2;
    if (!own || !isSibling) break;
    const stop = itemEnd(lines, next, own);
    const [first, ...rest] = lines.slice(next, stop);
    const inner = [cut(first ?? lineAt(lines, next), own.width), ...rest.map((line) => cut(line, Math.min(indentOf(line), own.width)))];
    const filled = lines.slice(next, stop).filter((line) => !isBlank(line));
    end = endOf(filled[filled.length - 1] ?? lineAt(lines, next));
    items.push({ start: lineAt(lines, next).at, end, blocks: parseLines(inner, depth + 1) });
    next = stop;
    const skipped = lines.slice(next).findIndex((line) => !isBlank(line));
    if (skipped < 0 || !markerOf(lines[next + skipped])) break;
    next += skipped;
  }
  return { block: { kind: "list", ordered: marker.ordered, first: marker.number, items, start: lineAt(lines, from).at, end }, next };
}

function takeParagraph(lines: readonly Line[], from: number): Taken {
  let next = from + 1;
  while (next < lines.length && !isBlank(lines[next]) && !interrupts(lines, next)) next += 1;
  const taken = lines.slice(from, next).map((line) => cut(line, indentOf(line)));
  return { block: { kind: "paragraph", content: contentOf(taken), start: lineAt(lines, from).at, end: endOf(lineAt(lines, next - 1)) }, next };
}

function takeRuleOrTable(lines: readonly Line[], from: number): Taken | null {
  const line = lineAt(lines, from);
  if (RULE.test(line.text)) return { block: { kind: "rule", start: line.at, end: endOf(line) }, next: from + 1 };
  if (!tableStarts(lines, from)) return null;
  const table = readTable(lines, from);
  return { block: { ...table.table, start: line.at, end: endOf(lineAt(lines, table.next - 1)) }, next: table.next };
}

/** The blocks of some lines, in order. Nothing is lost: what is no other block, or lies too deep for one, is a paragraph. */
export function parseLines(lines: readonly Line[], depth = 0): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    if (isBlank(lines[at])) {
      at += 1;
      continue;
    }
    const taken =
      takeCode(lines, at) ?? takeEquation(lines, at) ?? takeHeading(lines, at) ?? takeQuote(lines, at, depth) ??
      takeRuleOrTable(lines, at) ?? takeList(lines, at, depth) ?? takeParagraph(lines, at);
    blocks.push(taken.block);
    at = taken.next;
  }
  return blocks;
}
