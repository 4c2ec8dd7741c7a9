/** A quote as the card shows it and as it is copied. */

import { markedPieces, type Piece } from "@/shared/lib/codepoints";
import type { Use } from "@/shared/api/types";

/** The quote cut into pieces; those that carry the statement (evidence spans, code points of the passage) are marked. */
export function quotePieces(use: Use): readonly Piece[] {
  const base = use.start ?? 0;
  const spans = use.evidence?.spans ?? [];
  return markedPieces(use.quote ?? "", spans.map(([start, end]) => [Math.max(0, start - base), Math.max(0, end - base)]));
}

/** Soft hyphens and line ends of a page are layout, not words: one blank, nothing. For copying and for the card's lines. */
export function asRunningText(text: string): string {
  return text.replace(/\u00ad[\s\u200b]*/g, "").replace(/\s+/g, " ");
}

const HEADING = /(^|\n)#{1,6}[ \t]+(?:([^\n]+?)[ \t]*(\n))?/g;

/** For the eye also the sign of a Markdown heading is layout: a dot keeps a heading from running into the words below it;
 * `beginsLine`: the text begins where a line begins. */
export function asShownText(text: string, beginsLine: boolean): string {
  const plain = text.replace(HEADING, (all, before: string, heading: string | undefined, end: string | undefined) =>
    before === "" && !beginsLine ? all : before + (heading ? `${heading} ·${end ?? ""}` : ""),
  );
  const lines = plain.split(/\r?\n/);
  const rows = lines.filter((line) => line.includes(" | ")).length;
  // Of a table each row keeps its line; the first and the last may be cut.
  return rows > 0 && rows >= lines.length - 2 ? lines.map(asRunningText).join("\n") : asRunningText(plain);
}

/** A quote with its reference, for the clipboard. */
export function quoteWithReference(quote: string, title: string, place: string): string {
  return `“${asRunningText(quote).trim()}” (${[title, place].filter(Boolean).join(", ")})`;
}
