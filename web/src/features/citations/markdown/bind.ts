/** Keeps a mark with the word before it, so that no line begins with a mark alone. */

import type { Inline } from "./inline";

/** Nodes that must stay on one line, or a node as it is. */
export type Bound = { readonly kind: "bound"; readonly nodes: readonly Inline[]; readonly start: number } | Inline;

/** A word longer than this may break; else it would push the line out of a narrow column. */
const LONGEST = 24;

interface Split {
  readonly head: Inline | null;
  readonly word: Inline;
}

/** The last word of bold or italic text, itself bold or italic. */
function lastWordInside(node: Extract<Inline, { children: readonly Inline[] }>): Split | null {
  const inner = lastWord(node.children[node.children.length - 1]);
  if (!inner) return null;
  const rest = node.children.slice(0, -1);
  const children = inner.head ? [...rest, inner.head] : rest;
  return { head: children.length > 0 ? { ...node, children } : null, word: { ...node, children: [inner.word] } };
}

/** The last word of a node, and what stands before it; null when the node ends in no short word. */
function lastWord(node: Inline | undefined): Split | null {
  if (!node || node.kind === "break" || node.kind === "mark") return null;
  if ("children" in node) return lastWordInside(node);
  if (node.kind !== "text") return node.value.length <= LONGEST ? { head: null, word: node } : null;
  const word = /\S+\s?$/.exec(node.value);
  if (!word || word[0].length > LONGEST) return null;
  const at = word.index;
  const split: Inline = { ...node, value: word[0], start: node.start + at };
  return { head: at > 0 ? { ...node, value: node.value.slice(0, at) } : null, word: split };
}

/** The punctuation that follows marks without a blank, taken from the next text. */
function leadingSigns(node: Inline | undefined): Split | null {
  if (node?.kind !== "text") return null;
  const signs = /^[.,;:!?…)\]}»”’"']+/.exec(node.value)?.[0];
  if (!signs) return null;
  const rest = node.value.slice(signs.length);
  return { word: { ...node, value: signs }, head: rest ? { ...node, value: rest, start: node.start + signs.length } : null };
}

function takeLastWord(bound: Bound[]): Split | null {
  const before = bound[bound.length - 1];
  const split = before && before.kind !== "bound" ? lastWord(before) : null;
  if (split) bound.splice(-1, 1, ...(split.head ? [split.head] : []));
  return split;
}

/** The word, the marks and the signs of one run; takes the word off `bound` and the signs off `queue`. */
function takeRun(queue: Inline[], at: number, bound: Bound[]): { run: Bound; next: number } {
  let end = at;
  while (queue[end]?.kind === "mark") end += 1;
  const split = takeLastWord(bound);
  const signs = leadingSigns(queue[end]);
  if (signs) queue.splice(end, 1, ...(signs.head ? [signs.head] : []));
  const nodes = [...(split ? [split.word] : []), ...queue.slice(at, end), ...(signs ? [signs.word] : [])];
  return { run: { kind: "bound", nodes, start: queue[at]?.start ?? 0 }, next: end };
}

/** The nodes with every run of marks bound to the word before and the signs after it. */
export function bindMarks(input: readonly Inline[]): readonly Bound[] {
  const queue = [...input];
  const bound: Bound[] = [];
  let at = 0;
  for (let node = queue[at]; node; node = queue[at]) {
    if (node.kind !== "mark") {
      bound.push(node);
      at += 1;
      continue;
    }
    const { run, next } = takeRun(queue, at, bound);
    bound.push(run);
    at = next;
  }
  return bound;
}
