/**
 * The one place where offsets change their unit. The API counts Unicode code points; JavaScript strings count UTF-16
 * units, in which a character outside the basic plane is two. Everything that slices text by an API offset comes here.
 */

/** UTF-16 index of the code point offset `at` in `text`; offsets beyond the end give the length. */
export function utf16Index(text: string, at: number): number {
  let units = 0;
  for (let points = 0; points < at && units < text.length; points += 1) {
    units += isPair(text, units) ? 2 : 1;
  }
  return units;
}

/** Code point offset of the UTF-16 index `at`; an index inside a surrogate pair counts the pair as not yet passed. */
export function codePointOffset(text: string, at: number): number {
  const end = Math.min(at, text.length);
  let points = 0;
  for (let units = 0; units < end; ) {
    const step = isPair(text, units) ? 2 : 1;
    if (units + step > end) break;
    units += step;
    points += 1;
  }
  return points;
}

/** The half-open code point range [start, end) of `text`. */
export function sliceByCodePoints(text: string, start: number, end: number): string {
  const from = utf16Index(text, start);
  return text.slice(from, from + utf16Index(text.slice(from), Math.max(0, end - start)));
}

/** How many code points `text` has. */
export function codePointLength(text: string): number {
  return codePointOffset(text, text.length);
}

/**
 * A converter for many offsets of one long text: one pass, then each look-up is a binary search over the pairs.
 * `toUtf16(points)` and `toPoints(units)` agree with the functions above.
 */
export function offsetMap(text: string): { toUtf16: (points: number) => number; toPoints: (units: number) => number } {
  const pairs: number[] = []; // UTF-16 index of each surrogate pair
  for (let units = 0; units < text.length; units += 1) {
    if (isPair(text, units)) {
      pairs.push(units);
      units += 1;
    }
  }
  return {
    toUtf16: (points) => Math.min(text.length, points + countBefore(pairs, (at, i) => at - i < points)),
    toPoints: (units) => {
      const end = Math.min(units, text.length);
      return end - countBefore(pairs, (at) => at < end);
    },
  };
}

function countBefore(pairs: number[], before: (at: number, index: number) => boolean): number {
  let low = 0;
  let high = pairs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (before(pairs[middle] ?? 0, middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isPair(text: string, at: number): boolean {
  const high = text.charCodeAt(at);
  if (high < 0xd800 || high > 0xdbff) return false;
  const low = text.charCodeAt(at + 1);
  return low >= 0xdc00 && low <= 0xdfff;
}

export interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

/** `text` cut at half-open code point ranges of it, in any order; where they overlap they are one. */
export function markedPieces(text: string, marks: readonly (readonly [number, number])[]): readonly Piece[] {
  const map = offsetMap(text);
  const found: Piece[] = [];
  let at = 0;
  for (const [start, end] of [...marks].sort((a, b) => a[0] - b[0])) {
    const from = Math.max(at, map.toUtf16(start));
    const to = map.toUtf16(end);
    if (to <= from) continue;
    if (from > at) found.push({ text: text.slice(at, from), isMarked: false });
    found.push({ text: text.slice(from, to), isMarked: true });
    at = to;
  }
  if (at < text.length) found.push({ text: text.slice(at), isMarked: false });
  return found;
}
