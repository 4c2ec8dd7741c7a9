/** Which citation card is open: one on the page at a time, opened by pointer, focus or press, with the delays of a hover. */

import { useSyncExternalStore } from "react";
import type { AnswerScope } from "./scope";

export type Via = "pointer" | "focus" | "press";

export interface ShownCard {
  readonly scope: AnswerScope;
  readonly key: string;
  readonly n: number;
  readonly at: number;
  readonly anchor: HTMLElement;
  readonly via: Via;
}

const OPEN_AFTER_MS = 80; // passing over a line of marks opens nothing
const CLOSE_AFTER_MS = 160; // time to move from the mark into the card

let shown: ShownCard | null = null;
let timer = 0;
let isQuiet = false;
const tells = new Set<() => void>();

function set(next: ShownCard | null): void {
  clearTimeout(timer);
  if (shown === next) return;
  shown = next;
  for (const tell of tells) tell();
}

export const currentCard = (): ShownCard | null => shown;

export function openCard(card: ShownCard): void {
  clearTimeout(timer);
  if (card.via !== "pointer") return set(card);
  timer = window.setTimeout(() => set(card), OPEN_AFTER_MS);
}

/** The pointer or the focus left; nothing happens when it comes back in time. */
export function leaveCard(): void {
  clearTimeout(timer);
  if (shown) timer = window.setTimeout(() => set(null), CLOSE_AFTER_MS);
}

/** The pointer is on the card, or the focus in it: it stays. */
export function holdCard(): void {
  clearTimeout(timer);
}

/** The answer of the open card was checked meanwhile: the card tells the verdict. */
export function renewCard(scope: AnswerScope): void {
  if (shown && shown.scope !== scope && shown.scope.turnKey === scope.turnKey) set({ ...shown, scope });
}

export function closeCard(): void {
  set(null);
}

/** Focuses a mark without opening its card: the way back from the reader. */
export function focusQuietly(mark: HTMLElement): void {
  isQuiet = true;
  mark.focus({ preventScroll: true });
  isQuiet = false;
}
export const isFocusQuiet = (): boolean => isQuiet;

function subscribe(tell: () => void): () => void {
  tells.add(tell);
  return () => tells.delete(tell);
}

export function useCard(): ShownCard | null {
  return useSyncExternalStore(subscribe, currentCard);
}

/** Whether the card of this very mark is open; marks do not render for the cards of others. */
export function useIsCardOf(turnKey: string, key: string): boolean {
  return useSyncExternalStore(subscribe, () => shown !== null && shown.key === key && shown.scope.turnKey === turnKey);
}
