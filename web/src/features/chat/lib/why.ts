/** How the passages of an answer were found, put into the order and the words in which it is told. */

import type { Reason, Why, WhyCandidate } from "@/shared/api/types";
import { currentLanguage, type Key, type t as translate } from "@/shared/i18n/i18n";

type T = typeof translate;

export interface Told {
  readonly kept: readonly WhyCandidate[];
  /** The closest ones, when nothing was near enough. */
  readonly near: readonly WhyCandidate[];
  readonly dropped: readonly WhyCandidate[];
}

/** What was given to the answer; when nothing was, what came closest; then the rest. */
export function told(why: Why): Told {
  const kept = why.candidates.filter((one) => one.kept);
  const closest = kept.length === 0 ? why.near_misses : [];
  const near = closest.flatMap((id) => why.candidates.find((one) => one.chunk_id === id) ?? []);
  return { kept, near, dropped: why.candidates.filter((one) => !one.kept && !near.includes(one)) };
}

const SHORT: Record<Reason, Key> = {
  kept: "how.r.kept",
  overlaps: "how.r.overlaps",
  under_floor: "how.r.under_floor",
  few_words: "how.r.few_words",
  far_down: "how.r.far_down",
  no_place: "how.r.no_place",
  made_document: "how.r.made_document",
  same_section: "how.r.same_section",
  pool_full: "how.r.pool_full",
  cut_by_prompt: "how.r.cut_by_prompt",
};

/** In a few words: given, or why not. */
export function outcome(one: WhyCandidate, t: T): string {
  const key = one.reason ? SHORT[one.reason] : undefined;
  return t(key ?? (one.kept ? "how.r.kept" : "how.dropped"));
}

/** In a sentence; the server's own English one where this page does not know the code. Empty when the few words say it all. */
export function because(one: WhyCandidate, why: Why, t: T): string {
  const near = measure(one.similarity);
  if (!one.reason || !(one.reason in SHORT)) return one.why;
  if (one.reason === "under_floor" && typeof why.floor === "number") return t("how.l.under_floor", { near, floor: measure(why.floor) });
  if (one.reason === "few_words" && typeof one.idf_share === "number") return t("how.l.few_words", { share: percent(one.idf_share), needed: percent(one.needed ?? 0) });
  if (one.reason === "no_place" && typeof why.k === "number") return t("how.l.no_place", { n: why.k });
  const key = LONG[one.reason];
  return key ? t(key) : "";
}

const LONG: Partial<Record<Reason, Key>> = {
  overlaps: "how.l.overlaps",
  far_down: "how.l.far_down",
  made_document: "how.l.made_document",
  same_section: "how.l.same_section",
  pool_full: "how.l.pool_full",
  cut_by_prompt: "how.l.cut_by_prompt",
};

/** "by words #1 · by meaning #3 · together #1"; what a list does not have is left out. */
export function ranks(one: WhyCandidate, t: T): string {
  const places: [Key, number | null][] = [
    ["how.byWords", one.words_rank],
    ["how.byMeaning", one.meaning_rank],
    ["how.together", one.fused_rank],
  ];
  return places.flatMap(([key, n]) => (n === null ? [] : [t(key, { n })])).join(" · ");
}

/** A nearness as it is written: two places, "–" without a vector. */
export function measure(nearness: number | null | undefined): string {
  return typeof nearness === "number" ? nearness.toLocaleString(currentLanguage(), { minimumFractionDigits: 2, maximumFractionDigits: 2 }) : "–";
}

/** A nearness as a share of the bar: 0 to 1, whatever a model gives below or above. */
export function length(nearness: number | null | undefined): number {
  return Math.min(1, Math.max(0, nearness ?? 0));
}

function percent(share: number): number {
  return Math.round(share * 100);
}
