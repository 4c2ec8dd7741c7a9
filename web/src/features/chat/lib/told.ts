/** What an answer tells beside its words, as the page and the widget show it. */

import type { HelpCard } from "@/shared/api/types";

/** Sections of a help as they are shown: the winner first. */
export function winnerFirst(cards: readonly HelpCard[] | null | undefined): HelpCard[] {
  return [...(cards ?? [])].sort((a, b) => Number(b.is_winner) - Number(a.is_winner) || a.rank - b.rank);
}

/** "completed_evaluation" as a person reads it; nothing for what is no code. */
export const asWords = (code: unknown): string => (typeof code === "string" ? code.replaceAll("_", " ") : "");
