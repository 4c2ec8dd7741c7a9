/** What a note shows of itself in a list, and how its own words are placed for the page. */

import type { Placed } from "@/features/citations/lib/statements";
import type { Note } from "@/shared/api/types";
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

/** The statements of a note, and a person's own ranges; those have no use's index, so that no verdict is taken for theirs. */
export function placeNote({ text, edited, statements }: Pick<Note, "text" | "edited" | "statements">): readonly Placed[] {
  const map = offsetMap(text);
  const place = ([start, end]: readonly [number, number]): { start: number; end: number } => ({ start: map.toUtf16(start), end: map.toUtf16(end) });
  const own: Placed[] = edited.map((range) => ({ index: -1, ...place(range), status: "yours" as const }));
  const stated: Placed[] = (statements ?? []).map(({ start, end, status }, index) => ({ index, ...place([start, end]), status }));
  // A sentence that a person wrote is theirs, not one that lacks a source.
  const kept = stated.filter((one) => !own.some((range) => range.start < one.end && one.start < range.end));
  return [...kept, ...own].sort((a, b) => a.start - b.start);
}
