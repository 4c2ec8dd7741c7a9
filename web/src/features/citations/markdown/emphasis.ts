/** Pairs runs of * and _ into bold and italic (the delimiter algorithm of CommonMark 0.31, section 6.2, without its rule of three). */

import type { Inline } from "./inline";

export interface Delimiter {
  readonly kind: "delimiter";
  readonly sign: string;
  readonly count: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
  readonly start: number;
}

type Node = Inline | Delimiter;

const asText = (node: Node): Inline =>
  node.kind === "delimiter" ? { kind: "text", value: node.sign.repeat(node.count), start: node.start } : node;

/** Bold in italic in bold says nothing more; thousands of it, as a hostile text has them, must not fill the stack. */
const DEEPEST = 6;
const depths = new WeakMap<Inline, number>();

/** The nodes made bold or italic as one, or as they are where that lies too deep. */
function wrap(count: 1 | 2, nodes: readonly Node[], start: number): readonly Inline[] {
  const children = nodes.map(asText);
  const depth = 1 + children.reduce((most, child) => Math.max(most, depths.get(child) ?? 0), 0);
  if (depth > DEEPEST) return children;
  const made: Inline = count === 2 ? { kind: "strong", children, start } : { kind: "em", children, start };
  depths.set(made, depth);
  return [made];
}

function openerBefore(nodes: readonly Node[], closer: number, sign: string): number {
  for (let at = closer - 1; at >= 0; at -= 1) {
    const node = nodes[at];
    if (node?.kind === "delimiter" && node.sign === sign && node.canOpen && at < closer - 1) return at;
  }
  return -1;
}

/** Replaces the pair at `open` and `close` by what it encloses; what is left of either run stays in its place. Gives the place to go on at. */
function pair(nodes: Node[], open: number, close: number): number {
  const opener = nodes[open];
  const closer = nodes[close];
  if (opener?.kind !== "delimiter" || closer?.kind !== "delimiter") return close + 1;
  const count = opener.count >= 2 && closer.count >= 2 ? 2 : 1;
  const inner = wrap(count, nodes.slice(open + 1, close), opener.start + opener.count - count);
  const put: Node[] = [...inner];
  if (opener.count > count) put.unshift({ ...opener, count: opener.count - count });
  if (closer.count > count) put.push({ ...closer, count: closer.count - count, start: closer.start + count });
  nodes.splice(open, close - open + 1, ...put);
  return open + inner.length + (opener.count > count ? 1 : 0);
}

/** While text grows, an opened run counts as closed at the end, and a run with nothing behind it yet is not shown. */
function closeOpen(nodes: Node[]): void {
  const last = nodes[nodes.length - 1];
  if (last?.kind === "delimiter" && !last.canClose) nodes.pop();
  for (let at = nodes.length - 2; at >= 0; at -= 1) {
    const node = nodes[at];
    if (node?.kind !== "delimiter" || !node.canOpen || node.canClose) continue;
    const count = node.count >= 2 ? 2 : 1;
    nodes.splice(at, nodes.length - at, ...wrap(count, nodes.slice(at + 1), node.start));
  }
}

/** Nodes with their delimiter runs resolved; unpaired runs are text. */
export function resolveEmphasis(input: readonly Node[], isOpen: boolean): readonly Inline[] {
  const nodes = [...input];
  let at = 0;
  while (at < nodes.length) {
    const node = nodes[at];
    const open = node?.kind === "delimiter" && node.canClose ? openerBefore(nodes, at, node.sign) : -1;
    at = open < 0 ? at + 1 : pair(nodes, open, at);
  }
  if (isOpen) closeOpen(nodes);
  return nodes.map(asText);
}
