/** What a note shows of itself in a list, and how its own words are placed for the page. */

import type { Placed } from "@/features/citations/lib/statements";
import { offsetMap } from "@/shared/lib/codepoints";

const LONGEST = 140;

/** The first words of a Markdown text without its signs. */
export function plainWords(markdown: string): string {
  const plain = markdown
    .replace(/\[\^?\d+(?:\s*[,;]\s*\d+)*\]/g, "")
    .replace(/^\s*(?:#{1,6}\s+|[-*+]\s+|>\s?|\d+[.)]\s+)/gm, "")
    .replace(/[*_`|]+/g, "")
    .replace(/\s+/g, " ")
    .replace(/\s+([.,;:!?])/g, "$1")
    .trim();
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST).trimEnd()}…` : plain;
}

/** Ranges of code points as statements that are a person's own; their index is no use's, so that no verdict is taken for theirs. */
export function placeOwn(text: string, edited: readonly (readonly [number, number])[]): readonly Placed[] {
  const map = offsetMap(text);
  return edited
    .map(([start, end]) => ({ index: -1, start: map.toUtf16(start), end: map.toUtf16(end), status: "yours" as const }))
    .sort((a, b) => a.start - b.start);
}
