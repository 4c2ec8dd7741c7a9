/** The text of an answer as elements of a small set (S0-75): p, ol, ul, li, strong, em, code, br, and buttons for its own marks. */

import type { Block } from "@/features/citations/markdown/blocks";
import type { Content } from "@/features/citations/markdown/content";
import { GrowingBlocks } from "@/features/citations/markdown/growing";
import { parseInline, type Inline } from "@/features/citations/markdown/inline";
import { el } from "./dom";

/** Makes the element of a mark `[n]` that stands at `at` (UTF-16 offset in the answer). */
export type MarkMaker = (n: number, at: number) => HTMLElement;
/** Makes the marks, and words that stand at `at`: parts of them may name no source. */
export interface Makers {
  readonly mark: MarkMaker;
  readonly words: (text: string, at: number) => (Node | string)[];
}

function inline(nodes: readonly Inline[], make: Makers): (Node | string)[] {
  return nodes.flatMap((node) => {
    switch (node.kind) {
      case "break":
        return [el("br")];
      case "mark":
        return [make.mark(node.n, node.start)];
      case "strong":
      case "em":
        return [el(node.kind, {}, ...inline(node.children, make))];
      case "code":
        return [el("code", {}, node.value)];
      case "text":
        return make.words(node.value, node.start);
      default:
        return [node.value];
    }
  });
}

const paragraph = (content: Content, make: Makers, isOpen: boolean): HTMLElement => el("p", {}, ...inline(parseInline(content, isOpen), make));

/** A row of a table is its cells, told apart by a dot. */
function row(cells: readonly Content[], make: Makers): HTMLElement {
  const told = cells.filter((cell) => cell.text !== "").map((cell) => inline(parseInline(cell), make));
  return el("p", {}, ...told.flatMap((cell, at) => (at > 0 ? [" · ", ...cell] : cell)));
}

function lines(text: string): (Node | string)[] {
  return text.split("\n").flatMap((line, at) => (at > 0 ? [el("br"), line] : [line]));
}

function elementsOf(block: Block, make: Makers, isOpen: boolean): HTMLElement[] {
  switch (block.kind) {
    case "paragraph":
    case "heading":
      return [paragraph(block.content, make, isOpen)];
    case "code":
    case "equation":
      return [el("p", {}, el("code", {}, ...lines(block.text)))];
    case "quote":
      return block.blocks.flatMap((inner) => elementsOf(inner, make, isOpen));
    case "table":
      return [block.head, ...block.rows].map((cells) => row(cells, make));
    case "list": {
      const items = block.items.map((item) => el("li", {}, ...item.blocks.flatMap((inner) => elementsOf(inner, make, isOpen))));
      return [block.ordered ? el("ol", { start: block.first }, ...items) : el("ul", {}, ...items)];
    }
    case "rule":
      return [];
  }
}

/** Writes a growing answer into `into`; elements of blocks that did not change stay where they are. */
export class AnswerWriter {
  private readonly growing = new GrowingBlocks();
  private readonly known = new Map<Block, HTMLElement[]>();

  constructor(private readonly into: HTMLElement) {}

  write(text: string, make: Makers, isOpen: boolean): void {
    const blocks = this.growing.read(text);
    const kept = new Set(blocks);
    for (const [block, made] of this.known) {
      if (kept.has(block) && isOpen) continue;
      for (const one of made) one.remove();
      this.known.delete(block);
    }
    let before: ChildNode | null = null;
    for (const [at, block] of blocks.entries()) {
      let made = this.known.get(block);
      if (!made) {
        made = elementsOf(block, make, isOpen && at === blocks.length - 1);
        this.known.set(block, made);
        for (const one of made) {
          if (before) before.after(one);
          else this.into.prepend(one);
          before = one;
        }
      } else before = made[made.length - 1] ?? before;
    }
  }
}
