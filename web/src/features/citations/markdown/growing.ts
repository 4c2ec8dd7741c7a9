/** Blocks of a text that only grows: each step parses the last two blocks anew and keeps the rest as they are. */

import { parseLines, type Block, type Item } from "./blocks";
import { linesOf } from "./content";

/** Text grew only behind them, so two pieces with the same bounds are the same piece: keep the old object, so that React skips it. */
function sameItems(before: readonly Item[], after: readonly Item[]): Item[] {
  return after.map((item, at) => {
    const old = before[at];
    return old && old.start === item.start && old.end === item.end ? old : item;
  });
}

function keep(before: Block | undefined, after: Block): Block {
  if (!before || before.kind !== after.kind || before.start !== after.start) return after;
  if (before.end === after.end) return before;
  if (before.kind === "list" && after.kind === "list") return { ...after, items: sameItems(before.items, after.items) };
  return after;
}

export class GrowingBlocks {
  private text = "";
  private blocks: readonly Block[] = [];

  /** The blocks of `text`; objects of pieces that did not change are the same as last time. */
  read(text: string): readonly Block[] {
    if (text === this.text) return this.blocks;
    // Another text than a longer one (a gap filled from the row): begin anew.
    const grown = text.startsWith(this.text);
    // The last block can still join the one before it ("1" becomes "1. item"), never an earlier one.
    const kept = grown ? this.blocks.slice(0, -2) : [];
    const from = kept.length > 0 ? (this.blocks[kept.length]?.start ?? 0) : 0;
    const fresh = parseLines(linesOf(text.slice(from), from));
    const before = grown ? this.blocks : [];
    this.blocks = [...kept, ...fresh.map((block, at) => keep(before[kept.length + at], block))];
    this.text = text;
    return this.blocks;
  }
}
