/** What the reader is to show: the cited range, or a match of the search; each new goal scrolls anew. */

import type { At } from "@/features/citations/lib/address";

export interface Goal {
  readonly at: At;
  readonly kind: "cited" | "match" | "place";
  /** Grows with every wish to go there, so that asking twice scrolls twice. */
  readonly serial: number;
}

/** The range of a goal inside `passage`, when it is one that can be marked. */
export function rangeIn(goal: Goal | null, passage: number): { start: number; end: number } | null {
  if (!goal || goal.kind === "place" || goal.at.passage !== passage || goal.at.end <= goal.at.start) return null;
  return { start: goal.at.start, end: goal.at.end };
}
