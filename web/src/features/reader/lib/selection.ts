/** A selection as a range of the stored text, so that it can be kept and come back to. */

import { codePointLength } from "@/shared/lib/codepoints";

/** A half-open range of code points inside one passage. */
export interface PassageRange {
  readonly passage: number;
  readonly start: number;
  readonly end: number;
}

/** Where a selection stands in its passage; null when it spans several, or what is shown is not the stored text word for word. */
export function passageRange(range: Range): PassageRange | null {
  const start = wordsAround(range.startContainer);
  if (!start || start !== wordsAround(range.endContainer)) return null;
  const passage = Number(start.closest<HTMLElement>("[data-passage]")?.dataset["passage"] ?? NaN);
  if (!Number.isInteger(passage)) return null;
  const before = document.createRange();
  before.setStart(start, 0);
  before.setEnd(range.startContainer, range.startOffset);
  const first = codePointLength(before.toString());
  const end = first + codePointLength(range.toString());
  return end > first ? { passage, start: first, end } : null;
}

/** The box that holds the stored text of a passage and nothing else. */
function wordsAround(node: Node): HTMLElement | null {
  const element = node instanceof Element ? node : node.parentElement;
  return element?.closest<HTMLElement>("[data-stored]") ?? null;
}
