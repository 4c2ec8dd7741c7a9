/** The words of a passage as a list shows them, and where the reader is to open it. */

import type { At } from "@/features/citations/lib/address";
import type { FoundItem } from "@/shared/api/types";
import { codePointLength, markedPieces, type Piece } from "@/shared/lib/codepoints";

/** The snippet cut at its marks. */
export function pieces(item: FoundItem): readonly Piece[] {
  return markedPieces(item.snippet.text, item.snippet.marks);
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
