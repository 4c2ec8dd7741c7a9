/** What an answer tells beside its words, as the page and the widget show it. */

import type { HelpCard } from "@/shared/api/types";

/** Sections of a help as they are shown: the winner first. */
export function winnerFirst(cards: readonly HelpCard[] | null | undefined): HelpCard[] {
  return [...(cards ?? [])].sort((a, b) => Number(b.is_winner) - Number(a.is_winner) || a.rank - b.rank);
}

/** How a product's question may have been taken, and what it may have wanted; rules of one's own have no other names. */
export const MODES = ["product", "science", "hybrid", "low_confidence"] as const;
export const INTENTS = [
  "product_operation", "troubleshooting", "experiment_design", "target_specific_experiment_design", "surface_chemistry", "science", "comparison", "unknown",
] as const;

/** Whether a code is one that we have words for. */
export const isOf = <T extends string>(codes: readonly T[], code: unknown): code is T => codes.some((one) => one === code);

/** "completed_evaluation" as a person reads it; nothing for what is no code. */
export const asWords = (code: unknown): string => (typeof code === "string" ? code.replaceAll("_", " ") : "");
