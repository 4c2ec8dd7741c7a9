/** The inline part of answers: bold, italic, code, line breaks, equations and the marks [n]. Links and images become their words. */

import { sourceOf, type Content } from "./content";
import { resolveEmphasis, type Delimiter } from "./emphasis";

export type Inline =
  | { readonly kind: "text"; readonly value: string; readonly start: number }
  | { readonly kind: "code"; readonly value: string; readonly start: number }
  | { readonly kind: "math"; readonly value: string; readonly start: number }
  | { readonly kind: "break"; readonly start: number }
  | { readonly kind: "mark"; readonly n: number; readonly start: number }
  | { readonly kind: "strong"; readonly children: readonly Inline[]; readonly start: number }
  | { readonly kind: "em"; readonly children: readonly Inline[]; readonly start: number };

const MARKS = /^\[\^?(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\](?!\()/;
const LINK = /^!?\[((?:\\.|[^[\]\\]|\[[^[\]]*\])*)\]\((?:\\.|[^()\\\n]|\([^()\n]*\))*\)/;
const INLINE_MATH = /^(?:\$(?![\s$])((?:\\.|[^$\\\n])*[^\s\\$])\$(?!\d)|\$(?![\s$])([^\s$\\])\$(?!\d)|\\\((.+?)\\\)|\$\$([^$\n]+)\$\$)/;
const PUNCTUATION = /[!-/:-@[-`{-~]/;

interface Taken {
  readonly nodes: readonly (Inline | Delimiter)[];
  readonly length: number;
}

class Scanner {
  private readonly nodes: (Inline | Delimiter)[] = [];
  private words = "";
  private wordsAt = 0;

  constructor(
    private readonly content: Content,
    private readonly isOpen: boolean,
  ) {}

  run(): readonly Inline[] {
    const { text } = this.content;
    let at = 0;
    while (at < text.length) {
      const taken = this.special(text, at);
      if (taken) {
        this.flush();
        this.nodes.push(...taken.nodes);
        at += taken.length;
      } else {
        if (this.words === "") this.wordsAt = at;
        this.words += text.charAt(at);
        at += 1;
      }
    }
    this.flush();
    return resolveEmphasis(this.nodes, this.isOpen);
  }

  private flush(): void {
    if (this.words !== "") this.nodes.push({ kind: "text", value: this.words, start: sourceOf(this.content, this.wordsAt) });
    this.words = "";
  }

  private special(text: string, at: number): Taken | null {
    switch (text.charAt(at)) {
      case "\\":
        return this.math(text, at) ?? this.escaped(text, at);
      case "`":
        return this.code(text, at);
      case "$":
        return this.math(text, at);
      case "!":
        return text.charAt(at + 1) === "[" ? this.link(text, at) : null;
      case "[":
        return this.marks(text, at) ?? this.link(text, at);
      case "*":
      case "_":
        return this.delimiter(text, at);
      case "\n":
        return { nodes: [{ kind: "break", start: sourceOf(this.content, at) }], length: 1 };
      default:
        return null;
    }
  }

  private escaped(text: string, at: number): Taken | null {
    const next = text.charAt(at + 1);
    if (next === "\n") return { nodes: [{ kind: "break", start: sourceOf(this.content, at) }], length: 2 };
    if (!PUNCTUATION.test(next)) return null;
    return { nodes: [{ kind: "text", value: next, start: sourceOf(this.content, at + 1) }], length: 2 };
  }

  private code(text: string, at: number): Taken {
    const fence = /^`+/.exec(text.slice(at))?.[0] ?? "`";
    const closing = new RegExp(`(?<!\`)${fence}(?!\`)`, "g");
    closing.lastIndex = at + fence.length;
    const close = closing.exec(text);
    const start = sourceOf(this.content, at);
    if (!close) return { nodes: [{ kind: "text", value: fence, start }], length: fence.length };
    const inner = text.slice(at + fence.length, close.index).replaceAll("\n", " ");
    const value = /^ .*[^ ].* $/.test(inner) ? inner.slice(1, -1) : inner;
    return { nodes: [{ kind: "code", value, start }], length: close.index + fence.length - at };
  }

  private math(text: string, at: number): Taken | null {
    const match = INLINE_MATH.exec(text.slice(at));
    const value = match?.[1] ?? match?.[2] ?? match?.[3] ?? match?.[4];
    if (!match || value === undefined) return null;
    return { nodes: [{ kind: "math", value: value.trim(), start: sourceOf(this.content, at) }], length: match[0].length };
  }

  private marks(text: string, at: number): Taken | null {
    const match = MARKS.exec(text.slice(at));
    if (!match) return null;
    const numbers = (match[1] ?? "").split(/[,;]/).map((part) => Number.parseInt(part, 10));
    if (numbers.includes(0)) return null;
    const start = sourceOf(this.content, at);
    return { nodes: numbers.map((n) => ({ kind: "mark", n, start })), length: match[0].length };
  }

  /** A link or image is its words; an answer holds no link but its marks. */
  private link(text: string, at: number): Taken | null {
    const match = LINK.exec(text.slice(at));
    if (!match) return null;
    const lead = text.charAt(at) === "!" ? 2 : 1;
    const words = match[1] ?? "";
    const inner: Content = { text: words, lines: [{ text: words, at: sourceOf(this.content, at + lead) }] };
    return { nodes: new Scanner(inner, false).run(), length: match[0].length };
  }

  private delimiter(text: string, at: number): Taken {
    const sign = text.charAt(at);
    let count = 1;
    while (text.charAt(at + count) === sign) count += 1;
    const side = flanks(text.charAt(at - 1), text.charAt(at + count), sign);
    const start = sourceOf(this.content, at);
    return { nodes: [{ kind: "delimiter", sign, count, ...side, start }], length: count };
  }
}

/** Whether a run between two characters may open or close emphasis. Underscores inside a word (snake_case) are letters. */
function flanks(before: string, after: string, sign: string): { canOpen: boolean; canClose: boolean } {
  const opens = !isEdge(after) && (!isPunctuation(after) || isEdge(before) || isPunctuation(before));
  const closes = !isEdge(before) && (!isPunctuation(before) || isEdge(after) || isPunctuation(after));
  if (sign === "*") return { canOpen: opens, canClose: closes };
  return { canOpen: opens && (!closes || isPunctuation(before)), canClose: closes && (!opens || isPunctuation(after)) };
}

const isEdge = (char: string): boolean => char === "" || /\s/.test(char);
const isPunctuation = (char: string): boolean => /[\p{P}\p{S}]/u.test(char);

/**
 * The inline nodes of a block's content; every text node is one unbroken slice of the answer, at `start`.
 * `isOpen`: the text still grows, so an emphasis not yet closed is shown as if it closed at the end.
 */
export function parseInline(content: Content, isOpen = false): readonly Inline[] {
  return new Scanner(content, isOpen).run();
}
