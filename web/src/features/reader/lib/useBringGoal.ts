/** Bringing the goal into view in a text. */

import { useLayoutEffect, useRef, type RefObject } from "react";
import { bring } from "@/features/citations/lib/bring";
import type { Goal } from "./goal";

/** Centres the marked words (else the passage's beginning) once the passage is there; tells whether they are marked. */
export function useBringGoal(root: RefObject<HTMLElement | null>, goal: Goal | null, isThere: boolean, onMarked: ((isMarked: boolean) => void) | undefined): void {
  const done = useRef(-1);
  useLayoutEffect(() => {
    if (!goal || !isThere || done.current === goal.serial) return;
    done.current = goal.serial;
    const mark = root.current?.querySelector("[data-goal]");
    const passage = root.current?.querySelector(`[data-passage="${goal.at.passage}"]`);
    if (mark) bring(mark, "center");
    else if (passage) bring(passage, "start");
    if (goal.kind === "cited") onMarked?.(mark !== null && mark !== undefined);
  });
}
