/** What a source is counted in: pages, slides, rows, minutes, or the words of what has none of them. */
import type { Source } from "@/shared/api/types";
import { clock, t, type Key } from "@/shared/i18n/i18n";
import { lookOf, type Look } from "@/shared/lib/kinds";

const STEPS: Partial<Record<Look, Key>> = {
  pdf: "status.reading_page",
  picture: "status.reading_page",
  slides: "status.reading_slide",
  recording: "status.reading_minute",
};

/** "Reading page 12 of 340", in the unit of the kind; what comes in one piece is just "Reading". */
export function readingWords(source: Source): string {
  const { done = 0, total = null } = source.progress ?? {};
  if (total === null && done > 0 && lookOf(source) === "table") return t("status.reading_rows", { n: done });
  if (total === null || total <= 1) return t("status.reading");
  return t(STEPS[lookOf(source)] ?? "status.reading_part", { done: Math.min(done + 1, total), total });
}

/** Rows of a table, when the reading counted them. */
export function rowsOf(source: Source, report = source.report): number | null {
  const rows = report?.rows ?? source.meta["rows"];
  return typeof rows === "number" && rows > 0 ? rows : null;
}

/** "Ready · 340 pages": how much of it there is. */
export function readyWords(source: Source): string {
  const look = lookOf(source);
  const rows = look === "table" ? rowsOf(source) : null;
  if (source.duration_ms) return t("status.ready_length", { length: clock(source.duration_ms) });
  if (rows !== null) return t("status.ready_rows", { n: rows });
  if (source.pages) return t(look === "slides" ? "status.ready_slides" : "status.ready_pages", { n: source.pages });
  return source.words ? t("status.ready_words", { n: source.words }) : t("status.ready");
}
