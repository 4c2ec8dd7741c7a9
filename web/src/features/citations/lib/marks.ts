/** Every mark of an answer in reading order, with what it stands for. */

import type { Checks, Citation, Use } from "@/shared/api/types";
import { parseLines, type Block, type Item } from "../markdown/blocks";
import { linesOf, type Content } from "../markdown/content";
import { parseInline, type Inline } from "../markdown/inline";
import { markState, placeStatements, usedAt, type MarkState, type Placed } from "./statements";

/** Where a mark stands in the answer; the key is stable from the first token to the stored turn. */
export interface MarkSpot {
  readonly key: string;
  readonly n: number;
  readonly at: number;
}

export interface PlacedMark extends MarkSpot {
  readonly citation: Citation;
  readonly use: Use | null;
  readonly state: MarkState;
}

export const markKey = (at: number, n: number): string => `${at}.${n}`;

/** The spot that a mark on the page stands at: its key is in its `data-mark`. */
export function spotAt(mark: HTMLElement): MarkSpot {
  const key = mark.dataset["mark"] ?? "";
  const [at = "", n = ""] = key.split(".");
  return { key, at: Number(at), n: Number(n) };
}

function inInline(nodes: readonly Inline[]): MarkSpot[] {
  return nodes.flatMap((node) => {
    if (node.kind === "mark") return [{ key: markKey(node.start, node.n), n: node.n, at: node.start }];
    return node.kind === "strong" || node.kind === "em" ? inInline(node.children) : [];
  });
}

const inContents = (contents: readonly Content[]): MarkSpot[] => contents.flatMap((content) => inInline(parseInline(content)));
const inItems = (items: readonly Item[]): MarkSpot[] => items.flatMap((item) => spotsOf(item.blocks));

/** The marks of some blocks in reading order; brackets in code are no marks. */
export function spotsOf(blocks: readonly Block[]): MarkSpot[] {
  return blocks.flatMap((block) => {
    switch (block.kind) {
      case "paragraph":
      case "heading":
        return inContents([block.content]);
      case "list":
        return inItems(block.items);
      case "quote":
        return spotsOf(block.blocks);
      case "table":
        return inContents([...block.head, ...block.rows.flat()]);
      default:
        return [];
    }
  });
}

/** A mark with its citation and verdict, or null when it names nothing. */
export function placeMark(spot: MarkSpot, citations: readonly Citation[], statements: readonly Placed[], isChecked: boolean): PlacedMark | null {
  const citation = citations.find((known) => known.n === spot.n);
  if (!citation) return null;
  const use = usedAt(citation, statements, spot.at);
  return { ...spot, citation, use, state: markState(citation, use, isChecked) };
}

/** The marks of a finished answer that name something, in reading order. */
export function marksOf(answer: string, citations: readonly Citation[], checks: Checks | null): readonly PlacedMark[] {
  const statements = placeStatements(answer, checks);
  return spotsOf(parseLines(linesOf(answer))).flatMap((spot) => placeMark(spot, citations, statements, checks !== null) ?? []);
}
