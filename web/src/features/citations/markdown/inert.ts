/**
 * Markdown for other programs: the same words, but nothing in them that a viewer would load or follow. A model's text may
 * hold links, images, HTML, or footnotes that are not ours. Code is left as it is where every viewer agrees that it is
 * code; where they may not, it is escaped too, which costs a backslash and never a request.
 */

const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/; // at the margin only: an indented fence may end with the list it stands in
const PUNCTUATION = /[!-/:-@[-`{-~]/;

/** `text` with what is not in `keeps` made inert; `keeps` are half-open ranges of our own marks, with what takes their place. */
export function inertMarkdown(text: string, keeps: ReadonlyMap<number, { readonly end: number; readonly as: string }> = new Map()): string {
  const lines: string[] = [];
  let fence = "";
  let trusts = true; // no line of this paragraph left a tick open
  let at = 0;
  for (const line of text.split("\n")) {
    if (fence) {
      lines.push(line);
      if (closes(line, fence)) fence = "";
    } else {
      fence = FENCE.exec(line)?.[1] ?? "";
      if (line.trim() === "") trusts = true;
      else trusts &&= isBalanced(line);
      lines.push(fence ? line : inertLine(line, at, trusts, keeps));
    }
    at += line.length + 1;
  }
  if (fence) lines.push(fence);
  return lines.join("\n");
}

const closes = (line: string, fence: string): boolean => {
  const bare = line.replace(/^ {0,3}/, "").trimEnd();
  return bare.length >= fence.length && [...bare].every((sign) => sign === fence.charAt(0));
};

/** Whether every viewer finds the same code in the line: single ticks in pairs, no table cell between them. */
function isBalanced(line: string): boolean {
  const ticks = line.match(/`+/g) ?? [];
  return ticks.every((run) => run.length === 1) && ticks.length % 2 === 0 && (ticks.length === 0 || !/\\`|\|/.test(line));
}

function inertLine(line: string, lineAt: number, trusts: boolean, keeps: ReadonlyMap<number, { readonly end: number; readonly as: string }>): string {
  let out = "";
  for (let at = 0; at < line.length; ) {
    const own = keeps.get(lineAt + at);
    const code = trusts && line.charAt(at) === "`" ? line.indexOf("`", at + 1) + 1 : 0;
    if (own) {
      out += own.as;
      at = own.end - lineAt;
    } else if (code > 0) {
      out += line.slice(at, code);
      at = code;
    } else {
      const [taken, written] = sign(line, at);
      out += written;
      at += taken;
    }
  }
  return out;
}

/** How many signs are taken at `at`, and what is written for them. */
function sign(line: string, at: number): [number, string] {
  const here = line.charAt(at);
  if (here === "\\" && PUNCTUATION.test(line.charAt(at + 1))) return [2, line.slice(at, at + 2)]; // escaped already
  if (here === "[" || here === "<") return [1, `\\${here}`];
  if (line.startsWith("://", at)) return [3, ":\\//"];
  if (/^www\./i.test(line.slice(at, at + 4))) return [4, `${line.slice(at, at + 3)}\\.`];
  return [1, here];
}
