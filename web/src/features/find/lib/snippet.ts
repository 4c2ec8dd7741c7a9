/** The words of a passage as a list shows them, and where the reader is to open it. */

import type { At } from "@/features/citations/lib/address";
import type { FoundItem } from "@/shared/api/types";
import { codePointLength, offsetMap } from "@/shared/lib/codepoints";

export interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

/** The snippet cut at its marks. */
export function pieces(item: FoundItem): readonly Piece[] {
  const { text, marks } = item.snippet;
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

/** Whether the passage goes on before and after its snippet. */
export function goesOn(item: FoundItem): { before: boolean; after: boolean } {
  const { text, start } = item.snippet;
  return { before: start > item.start, after: start + codePointLength(text) < item.end };
}

/** From the first marked word to the last; all of the snippet where meaning alone found it. Code points of the passage. */
export function rangeOf(item: FoundItem): At {
  const { text, start, marks } = item.snippet;
  const from = marks.length > 0 ? Math.min(...marks.map(([first]) => first)) : 0;
  const to = marks.length > 0 ? Math.max(...marks.map(([, last]) => last)) : codePointLength(text);
  return { passage: item.passage, start: start + from, end: start + to };
}
