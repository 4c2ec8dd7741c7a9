/** A selection as a range of the stored text, so that it can be kept and come back to. */

import { codePointLength } from "@/shared/lib/codepoints";

/** A half-open range of code points inside one passage. */
export interface PassageRange {
  readonly passage: number;
  readonly start: number;
  readonly end: number;
}

/** Where a selection stands in its passage; null when it spans several, or what is shown there is not the stored text. */
export function passageRange(range: Range): PassageRange | null {
  const start = placeOf(range.startContainer, range.startOffset);
  const end = placeOf(range.endContainer, range.endOffset);
  if (!start || start.passage !== end?.passage) return null;
  const passage = Number(start.passage.dataset["passage"] ?? NaN);
  return Number.isInteger(passage) && end.at > start.at ? { passage, start: start.at, end: end.at } : null;
}

interface Place {
  readonly passage: HTMLElement;
  readonly at: number;
}

function placeOf(node: Node, offset: number): Place | null {
  const element = node instanceof Element ? node : node.parentElement;
  const passage = element?.closest<HTMLElement>("[data-passage]");
  const at = element ? (inText(element, node, offset) ?? onPicture(element, node, offset)) : null;
  return passage && at !== null ? { passage, at } : null;
}

/** In the stored text, shown word for word. */
function inText(element: Element, node: Node, offset: number): number | null {
  const box = element.closest("[data-stored]");
  if (!box) return null;
  const before = document.createRange();
  before.setStart(box, 0);
  before.setEnd(node, offset);
  return codePointLength(before.toString());
}

/** On a word over the picture of a page; the blank behind it is not the word's. */
function onPicture(element: Element, node: Node, offset: number): number | null {
  const word = element.closest<HTMLElement>("[data-from]");
  if (!word || node.nodeType !== Node.TEXT_NODE) return null;
  const shown = (word.textContent ?? "").trimEnd();
  return Number(word.dataset["from"]) + codePointLength(shown.slice(0, offset));
}
