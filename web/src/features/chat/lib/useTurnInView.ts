/** An address may name a turn of the conversation, as a list of questions does: it is brought into view. */

import { useLayoutEffect } from "react";
import { useSearch } from "wouter";
import { bring } from "@/features/citations/lib/bring";
import { live } from "./live";

export function useTurnInView(isReady: boolean, settle: () => void): void {
  const turnId = new URLSearchParams(useSearch()).get("turn_at");
  useLayoutEffect(() => {
    if (!turnId || !isReady) return;
    const turn = document.querySelector(`[data-testid="turn"][data-turn="${CSS.escape(live.keyOf(turnId))}"]`);
    if (!turn) return;
    bring(turn, "start");
    settle();
  }, [turnId, isReady, settle]);
}
