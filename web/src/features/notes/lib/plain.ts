/** What a note shows of itself in a list, and how its own words are placed for the page. */

import { spotsOf } from "@/features/citations/lib/marks";
import type { Placed } from "@/features/citations/lib/statements";
import { parseLines } from "@/features/citations/markdown/blocks";
import { linesOf } from "@/features/citations/markdown/content";
import type { Citation, Note } from "@/shared/api/types";
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

/**
 * A person's own ranges as statements, and where each mark of an unchanged answer stands: the second mark of a number answers
 * with its second use. Own ranges have no use's index, so that no verdict is taken for theirs.
 */
export function placeNote({ text, edited, citations }: Pick<Note, "text" | "edited" | "citations">): readonly Placed[] {
  const map = offsetMap(text);
  const own: Placed[] = edited.map(([start, end]) => ({ index: -1, start: map.toUtf16(start), end: map.toUtf16(end), status: "yours" as const }));
  return [...own, ...(edited.length === 0 ? placeMarks(text, citations) : [])].sort((a, b) => a.start - b.start);
}

/** Each mark as a statement of no length, where a number has as many marks as uses; else its first use stands for all. */
function placeMarks(text: string, citations: readonly Citation[]): Placed[] {
  const spots = spotsOf(parseLines(linesOf(text)));
  return citations.flatMap((citation) => {
    const places = spots.filter((spot) => spot.n === citation.n);
    const uses = [...citation.uses].sort((a, b) => a.statement - b.statement);
    if (places.length !== uses.length) return [];
    return places.map((spot, at) => ({ index: uses[at]?.statement ?? -1, start: spot.at, end: spot.at, status: "found" as const }));
  });
}
