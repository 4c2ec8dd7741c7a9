/** The words of a passage as a list shows them, and where the reader is to open it. */

import type { At } from "@/features/citations/lib/address";
import type { FoundItem } from "@/shared/api/types";
import { offsetMap, sliceByCodePoints } from "@/shared/lib/codepoints";

const LENGTH = 240; // code points, as the search cuts them

export interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

type Snippet = NonNullable<FoundItem["snippet"]>;

function snippetOf(item: FoundItem): Snippet {
  return item.snippet ?? { text: sliceByCodePoints(item.text, 0, LENGTH), start: item.start, marks: [] };
}

/** The snippet cut at its marks. */
export function pieces(item: FoundItem): readonly Piece[] {
  const { text, marks } = snippetOf(item);
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

/** From the first marked word to the last; all of the snippet where meaning alone found it. Code points of the passage. */
export function rangeOf(item: FoundItem): At {
  const { text, start, marks } = snippetOf(item);
  const length = Array.from(text).length;
  const from = marks.length > 0 ? Math.min(...marks.map(([first]) => first)) : 0;
  const to = marks.length > 0 ? Math.max(...marks.map(([, last]) => last)) : length;
  return { passage: item.passage, start: start + from, end: start + to };
}
