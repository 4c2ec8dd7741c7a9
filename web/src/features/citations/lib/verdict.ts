/** The icon, the colour and the words of a verdict: never one without the others. */

import type { Evidence, Use } from "@/shared/api/types";
import type { Key, t as translate } from "@/shared/i18n/i18n";
import type { IconName } from "@/shared/ui/Icon";
import type { MarkState } from "./statements";

type T = typeof translate;

const ICONS: Record<MarkState, IconName | null> = {
  found: "check", partly: "half", number_differs: "notEqual", not_found: "cross", not_checked: null, removed: null, unknown: null, streaming: null,
};
const WORDS: Record<MarkState, Key> = {
  found: "verdict.found", partly: "verdict.partly", number_differs: "verdict.number_differs", not_found: "verdict.not_found",
  not_checked: "verdict.not_checked", removed: "verdict.removed", unknown: "verdict.unknown", streaming: "verdict.not_checked",
};

export const verdictIcon = (state: MarkState): IconName | null => ICONS[state];
export const verdictWords = (state: MarkState, t: T): string => t(WORDS[state]);

/** The numbers the passage has in place of the answer's, where the check named them. */
function numbersInstead(evidence: Evidence): string[] {
  const numbers: Evidence["numbers"] & { passage?: string[] } = evidence.numbers;
  return numbers.passage ?? [];
}

function whyPartly(evidence: Evidence | null, t: T, isNote: boolean): string {
  if (evidence?.caution) return t("why.partlyCaution", { word: evidence.caution });
  if (evidence && evidence.missing.length > 0) return t("why.partlyMissing", { words: evidence.missing.map((word) => `“${word}”`).join(", ") });
  return t(isNote ? "why.note" : "why.partly");
}

function whyNumber(evidence: Evidence | null, t: T): string {
  const said = evidence?.numbers.missing.join(", ") ?? "";
  const has = evidence ? numbersInstead(evidence) : [];
  if (!said) return t("marks.number_differs");
  return has.length > 0 ? t("why.numberDiffers", { said, has: has.join(", ") }) : t("why.numberMissing", { said });
}

/** The sentence that says why a mark has its verdict; a note (`isNote`) is never told as a source. */
export function verdictReason(state: MarkState, use: Use | null, t: T, isNote = false): string {
  switch (state) {
    case "found":
      return t("why.found");
    case "partly":
      return whyPartly(use?.evidence ?? null, t, isNote);
    case "number_differs":
      return whyNumber(use?.evidence ?? null, t);
    case "not_found":
    case "unknown":
      return t("why.not_found");
    case "removed":
      return t("why.removed");
    default:
      return t("why.not_checked");
  }
}

/** The fact lines under a verdict: what was compared and held. */
export function factLines(use: Use | null, t: T): string[] {
  const evidence = use?.evidence;
  if (!evidence) return [];
  const numbers = evidence.numbers.matched;
  const match = evidence.numbers.missing.length > 0 ? "fact.numbersSome" : "fact.numbers";
  return [
    ...(evidence.quoted_words_found ? [t("fact.quote")] : []),
    ...(numbers.length > 0 ? [t(match, { numbers: numbers.join(", ") })] : []),
  ];
}
