/** Jumps through what a reader should look at again, and through the marks of an answer. */

import { bring } from "@/features/citations/lib/bring";

const RING_MS = 600;

function targets(turnKey: string | null, selector: string): HTMLElement[] {
  const scope = turnKey ? `[data-turn="${CSS.escape(turnKey)}"] ` : "";
  return [...document.querySelectorAll<HTMLElement>(`${scope}${selector}`)];
}

/** The next of `all` in page order after the focus, round and round. */
function nextOf(all: readonly HTMLElement[], step: 1 | -1): HTMLElement | null {
  const focus = document.activeElement;
  const at = focus instanceof HTMLElement ? all.indexOf(focus) : -1;
  if (all.length === 0) return null;
  if (at >= 0) return all[(at + step + all.length) % all.length] ?? null;
  const after = all.find((place) => focus && focus.compareDocumentPosition(place) & Node.DOCUMENT_POSITION_FOLLOWING && isVisible(place));
  return after ?? (step > 0 ? all[0] : all[all.length - 1]) ?? null;
}

const isVisible = (place: HTMLElement): boolean => {
  const { top } = place.getBoundingClientRect();
  return top >= 0 && top <= innerHeight;
};

function goTo(place: HTMLElement | null): void {
  if (!place) return;
  bring(place, "center");
  place.focus({ preventScroll: true });
  place.animate?.([{ outline: "3px solid var(--accent)", outlineOffset: "3px" }, { outline: "3px solid transparent", outlineOffset: "3px" }], RING_MS);
}

/** Goes to the next mark that is partly found, differs or is not found, or the next sentence without a source. */
export function jumpToNextDoubt(turnKey: string | null): void {
  goTo(nextOf(targets(turnKey, "[data-doubt]"), 1));
}

export function jumpToMark(step: 1 | -1): void {
  goTo(nextOf(targets(null, "[data-mark]"), step));
}
