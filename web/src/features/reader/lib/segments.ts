/** A text cut into pieces where ranges begin and end; the pieces joined are the text. */

import { offsetMap } from "@/shared/lib/codepoints";

export interface Range {
  /** Half-open, code points. */
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

export interface Segment {
  readonly text: string;
  /** Names of the ranges that cover it. */
  readonly names: readonly string[];
  /** UTF-16 place in the text. */
  readonly at: number;
}

export function segments(text: string, ranges: readonly Range[]): readonly Segment[] {
  const map = offsetMap(text);
  const placed = ranges.map(({ start, end, name }) => ({ from: map.toUtf16(start), to: map.toUtf16(end), name })).filter(({ from, to }) => to > from);
  const cuts = [...new Set([0, text.length, ...placed.flatMap(({ from, to }) => [from, to])])].sort((a, b) => a - b);
  return cuts.slice(0, -1).map((from, at) => {
    const to = cuts[at + 1] ?? text.length;
    return { text: text.slice(from, to), at: from, names: placed.filter((range) => range.from <= from && range.to >= to).map((range) => range.name) };
  });
}

/** The line of `text` that begins at code point `start`, as a range. */
export function lineRange(text: string, start: number, name: string): Range {
  const map = offsetMap(text);
  const from = map.toUtf16(start);
  const end = text.indexOf("\n", from);
  return { start, end: map.toPoints(end < 0 ? text.length : end), name };
}

/** The marks of the heading that begins at code point `start` ("## "), as a range; null where its line has none. */
export function marksRange(text: string, start: number, name: string): Range | null {
  const from = offsetMap(text).toUtf16(start);
  const found = /^#{1,6} +/.exec(text.slice(from, from + 40));
  return found ? { start, end: start + found[0].length, name } : null;
}

/** A text and its ranges in two at code point `at`. */
export function splitAt(text: string, ranges: readonly Range[], at: number): readonly { text: string; ranges: readonly Range[] }[] {
  const unit = offsetMap(text).toUtf16(at);
  const before = ranges.map((range) => ({ ...range, end: Math.min(range.end, at) }));
  const after = ranges.map((range) => ({ ...range, start: Math.max(0, range.start - at), end: range.end - at }));
  const isWhole = (range: Range): boolean => range.end > range.start;
  return [
    { text: text.slice(0, unit), ranges: before.filter(isWhole) },
    { text: text.slice(unit), ranges: after.filter(isWhole) },
  ];
}
