import { afterEach, describe, expect, it } from "vitest";
import { passageRange } from "./selection";

function chosen(html: HTMLElement, from: [Node | null, number], to: [Node | null, number]) {
  document.body.append(html);
  const range = document.createRange();
  if (!from[0] || !to[0]) throw new Error("nothing to choose");
  range.setStart(from[0], from[1]);
  range.setEnd(to[0], to[1]);
  return passageRange(range);
}

function box(attributes: Record<string, string>, ...inside: (Node | string)[]): HTMLElement {
  const made = document.createElement("div");
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...inside);
  return made;
}

afterEach(() => document.body.replaceChildren());

describe("a selection", () => {
  it("in stored text is counted in code points from the passage's beginning", () => {
    const mark = box({}, "swim");
    const text = box({ "data-stored": "" }, "🐟 fish ", mark, " here");
    const found = chosen(box({ "data-passage": "7" }, text), [mark.firstChild, 0], [text.lastChild, 5]);
    expect(found).toEqual({ passage: 7, start: 7, end: 16 });
  });

  it("on the words over a page's picture goes by each word's place, without the blank behind it", () => {
    const first = box({ "data-from": "40" }, "speed ");
    const last = box({ "data-from": "46" }, "limits\n");
    const found = chosen(box({ "data-passage": "2" }, first, last), [first.firstChild, 0], [last.firstChild, 7]);
    expect(found).toEqual({ passage: 2, start: 40, end: 52 });
  });

  it("over two passages, or outside the stored text, has no place", () => {
    const one = box({ "data-passage": "1" }, box({ "data-stored": "" }, "one"));
    const two = box({ "data-passage": "2" }, box({ "data-stored": "" }, "two"));
    const all = box({}, one, two);
    expect(chosen(all, [one.firstChild?.firstChild ?? null, 0], [two.firstChild?.firstChild ?? null, 2])).toBeNull();
    const name = box({ "data-passage": "3" }, "Page 3");
    expect(chosen(name, [name.firstChild, 0], [name.firstChild, 4])).toBeNull();
  });
});
