/** The citations of the answer that the reader was opened from, and stepping through them. */

import { useCallback, useMemo } from "react";
import { useLocation } from "wouter";
import { chatAddress, citedAddress, type ReaderPlace } from "@/features/citations/lib/address";
import { marksOf, type PlacedMark } from "@/features/citations/lib/marks";
import { moveReturn } from "@/features/citations/lib/returning";
import { isDoubtful } from "@/features/citations/lib/statements";
import type { Turn } from "@/shared/api/types";

export interface Steps {
  readonly marks: readonly PlacedMark[];
  /** Index of the mark that is shown, or -1. */
  readonly at: number;
  readonly current: PlacedMark | null;
  readonly go: (to: number) => void;
  readonly goToDoubt: () => void;
  /** To where the reader was opened from, else to the chat. */
  readonly back: () => void;
}

export function useSteps(notebookId: string, place: ReaderPlace, turn: Turn | undefined): Steps {
  const [, navigate] = useLocation();
  const marks = useMemo(() => (turn ? marksOf(turn.answer ?? "", turn.citations, turn.checks).map((mark, at) => ({ ...mark, at })) : []), [turn]);
  const at = place.mark !== null && place.mark < marks.length ? place.mark : -1;
  const { turn: turnId, conversation } = place;

  const go = useCallback(
    (to: number) => {
      const mark = marks[to];
      if (!mark || mark.citation.removed || !turnId) return;
      moveReturn(turnId, to);
      const { citation, use } = mark;
      const address = citedAddress(notebookId, citation, use, { turn: turnId, mark: to, conversation });
      // Steps replace each other: one Back leads to the answer, however many were taken.
      navigate(address, { replace: true, state: history.state as unknown });
    },
    [marks, turnId, conversation, notebookId, navigate],
  );
  const goToDoubt = useCallback(() => {
    const order = marks.map((_, step) => (at + 1 + step) % marks.length);
    const next = order.find((index) => marks[index] && isDoubtful(marks[index].state));
    if (next !== undefined) go(next);
  }, [marks, at, go]);
  const back = useCallback(() => {
    if (turnId && at >= 0) moveReturn(turnId, at);
    const state = history.state as { fromChat?: boolean } | null;
    if (state?.fromChat) history.back();
    else navigate(chatAddress(notebookId, conversation));
  }, [turnId, at, notebookId, conversation, navigate]);
  return { marks, at, current: marks[at] ?? null, go, goToDoubt, back };
}

/** The next index from `at` in direction `step` whose source is still there, or -1. */
export function stepFrom(marks: readonly PlacedMark[], at: number, step: 1 | -1): number {
  for (let to = at + step; to >= 0 && to < marks.length; to += step) if (!marks[to]?.citation.removed) return to;
  return -1;
}
