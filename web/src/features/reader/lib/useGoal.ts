/** The goal of the reader: what the address names, then whatever the person went to. */

import { useCallback, useState } from "react";
import type { At } from "@/features/citations/lib/address";
import type { Source } from "@/shared/api/types";
import type { Goal } from "./goal";
import { usePassageAt } from "./queries";
import { pageCount } from "./shape";

interface Wish {
  readonly goal: Goal | null;
  readonly named: string;
  /** Set when a page was asked for, not a range. */
  readonly page: number | null;
}

const nameOf = (at: At | null, reading: string | null): string => (at ? `${at.passage}:${at.start}-${at.end} ${reading}` : "");

/** The page a passage is on: asked for, because blank pages and other readings may shift the count. */
function usePageOf(source: Source, reading: string | null, passage: number | null): number {
  const pages = pageCount(source);
  const found = usePassageAt(source.id, reading, passage ?? 0, passage !== null && pages > 0).data?.items.find((item) => item.passage === passage);
  if (found) return found.page ?? 1;
  return Math.min(Math.max(1, pages), (passage ?? 0) + 1);
}

export function useGoal(source: Source, at: At | null, reading: string | null) {
  const named = nameOf(at, reading);
  const first = (serial: number): Wish => ({ goal: at ? { at, kind: "cited", serial } : null, named, page: null });
  const [wish, setWish] = useState<Wish>(() => first(1));
  // Another citation in the address is a new wish.
  if (wish.named !== named) setWish(first((wish.goal?.serial ?? 0) + 1));
  const goTo = useCallback((to: At, kind: Goal["kind"]) => setWish((known) => ({ ...known, page: null, goal: { at: to, kind, serial: (known.goal?.serial ?? 0) + 1 } })), []);
  const goToPage = useCallback(
    (page: number) => setWish((known) => ({ ...known, page, goal: { at: { passage: page - 1, start: 0, end: 0 }, kind: "place", serial: (known.goal?.serial ?? 0) + 1 } })),
    [],
  );
  const pageOfPassage = usePageOf(source, reading, wish.goal?.at.passage ?? null);
  return { goal: wish.goal, goalPage: wish.page ?? pageOfPassage, goTo, goToPage };
}
