/** Scrolls the box an element stands in, and only that: `scrollIntoView` would also move the frame around it. */

export type Goes = "center" | "start" | "nearest";

function boxOf(element: Element): HTMLElement | null {
  for (let box = element.parentElement; box; box = box.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(box).overflowY)) return box;
  }
  return null;
}

/** How far to scroll along one axis; `nearest` moves only what is out of sight. */
function shift(start: number, size: number, from: number, room: number, goes: Goes): number {
  if (goes === "start") return start - from;
  if (goes === "center") return start + size / 2 - (from + room / 2);
  if (start < from) return start - from;
  return Math.max(0, start + size - (from + room));
}

/** Brings `element` into view inside its scrolling box; without motion unless it is asked for. */
export function bring(element: Element, goes: Goes, behavior: ScrollBehavior = "instant"): void {
  const box = boxOf(element);
  if (!box) return;
  const own = element.getBoundingClientRect();
  const frame = box.getBoundingClientRect();
  // What is higher than the box begins at its top, else its beginning would be lost.
  const how = goes === "center" && own.height > box.clientHeight ? "start" : goes;
  const top = shift(own.top, own.height, frame.top + box.clientTop, box.clientHeight, how);
  const left = shift(own.left, own.width, frame.left + box.clientLeft, box.clientWidth, "nearest");
  box.scrollBy({ top, left, behavior });
}
