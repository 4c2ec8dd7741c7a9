/** Lines of an answer with the place they stand at, so that every piece shown can be traced to an offset of the answer. */

/** One line without its line end; `at` is the UTF-16 offset of its first character in the answer. */
export interface Line {
  readonly text: string;
  readonly at: number;
}

/** Text of a block, joined from lines whose prefixes (list marker, `>`) were taken off. */
export interface Content {
  readonly text: string;
  readonly lines: readonly Line[];
}

/** The lines of `text`, which begins at offset `base` of the answer. */
export function linesOf(text: string, base = 0): Line[] {
  const lines: Line[] = [];
  let from = 0;
  for (;;) {
    const end = text.indexOf("\n", from);
    const until = end < 0 ? text.length : end;
    const clipped = until > from && text[until - 1] === "\r" ? until - 1 : until;
    lines.push({ text: text.slice(from, clipped), at: base + from });
    if (end < 0) return lines;
    from = end + 1;
  }
}

/** Line `index`, or an empty one past the end. */
export function lineAt(lines: readonly Line[], index: number): Line {
  return lines[index] ?? { text: "", at: 0 };
}

export function contentOf(lines: readonly Line[]): Content {
  return { text: lines.map((line) => line.text).join("\n"), lines };
}

/** Offset in the answer of character `index` of the content. */
export function sourceOf(content: Content, index: number): number {
  let rest = index;
  for (const line of content.lines) {
    if (rest <= line.text.length) return line.at + rest;
    rest -= line.text.length + 1;
  }
  const last = content.lines[content.lines.length - 1];
  return last ? last.at + last.text.length : 0;
}
