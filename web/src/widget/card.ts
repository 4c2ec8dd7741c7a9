/** The card of a mark: its verdict with sign and word, the source's own words, and where they stand. */

import { clock } from "@/features/citations/lib/locator";
import { quotePieces, asShownText } from "@/features/citations/lib/quote";
import type { MarkState } from "@/features/citations/lib/statements";
import type { Citation, Use } from "@/shared/api/types";
import { el, icon, iconButton, type IconName } from "./dom";
import type { Say, Word } from "./words";

const SIGNS: Partial<Record<MarkState, IconName>> = { found: "found", partly: "partly", number_differs: "number_differs", not_found: "not_found" };
const VERDICTS: Partial<Record<MarkState, Word>> = {
  found: "found", partly: "partly", number_differs: "number_differs", not_found: "not_found", removed: "removed",
};

export const verdictSign = (state: MarkState): SVGElement | null => (SIGNS[state] ? icon(SIGNS[state], 12) : null);
export const verdictWord = (state: MarkState, say: Say): string => say(VERDICTS[state] ?? "not_checked");

/** Why a mark has its verdict. */
function reason(state: MarkState, use: Use | null, say: Say): string {
  const evidence = use?.evidence;
  if (state === "found") return say("whyFound");
  if (state === "partly" && evidence?.caution) return say("whyCaution", { word: evidence.caution });
  if (state === "partly") return evidence?.missing.length ? say("whyMissing", { words: evidence.missing.map((word) => `“${word}”`).join(", ") }) : say("whyPartly");
  if (state === "number_differs") return say("whyNumber", { said: evidence?.numbers.missing.join(", ") ?? "" });
  if (state === "not_found") return say("whyNotFound");
  return state === "removed" ? "" : say("whyNotChecked");
}

interface Place {
  page?: number | null;
  heading?: string | null;
  sheet?: string | null;
  rows?: readonly number[] | null;
  start_ms?: number | null;
}

/** "page 3 · Opening hours", "Prices · rows 4–9", "12:40". */
export function placeWords({ page, heading, sheet, rows, start_ms: ms }: Place, title: string, say: Say): string {
  const parts = [
    page ? say("page", { n: page }) : "",
    sheet ?? "",
    rows ? say("rows", { rows: [...new Set(rows)].join("–") }) : "",
    typeof ms === "number" ? clock(ms) : "",
    heading && heading !== title ? heading.replaceAll(" > ", " › ") : "",
  ];
  return parts.filter(Boolean).join(" · ");
}

function quote(use: Use, say: Say): HTMLElement {
  if (!use.quote) return el("p", { class: "quiet" }, say("quoteNone"));
  const pieces = quotePieces(use).map((piece) => (piece.isMarked ? el("mark", {}, asShownText(piece.text, false)) : asShownText(piece.text, false)));
  const { before = "", after = "" } = use.context ?? {};
  const around = (text: string): (Node | string)[] => (text ? [el("span", { class: "around" }, asShownText(text, false))] : []);
  return el("blockquote", { dir: "auto", tabindex: 0 }, ...around(before ? `${before} ` : ""), ...pieces, ...around(after ? ` ${after}` : ""));
}

/** The card; it takes the focus and gives it back by `onClose`. */
export function cardOf(citation: Citation, use: Use | null, state: MarkState, say: Say, onClose: () => void): HTMLElement {
  const place = placeWords(citation, citation.source_title, say);
  const word = verdictWord(state, say);
  const sign = verdictSign(state);
  const verdict = el("p", { class: `verdict ${state}` }, ...(sign ? [sign] : []), el("strong", {}, word), ` ${reason(state, use, say)}`);
  const title = el("p", { class: "card-title", dir: "auto" }, `${citation.n} · ${citation.source_title}`);
  return el(
    "section",
    { class: "card", tabindex: -1, "aria-label": say("card", { n: citation.n }), "data-part": "card" },
    el("div", { class: "card-head" }, el("div", {}, title, ...(place ? [el("p", { class: "quiet", dir: "auto" }, place)] : [])), iconButton("close", say("close"), onClose)),
    ...(use ? [quote(use, say)] : [el("p", { class: "quiet" }, say("quoteNone"))]),
    verdict,
  );
}
