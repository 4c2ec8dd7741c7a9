/** The words of a passage without the signs of its Markdown: for an excerpt, which may be cut anywhere. */

const RULE = /^\s*\|?[\s:|-]*-{2,}[\s:|-]*$/; // below the head of a table, or a line across

function lineOf(line: string): string {
  const isRow = /^\s*\|/.test(line) || line.includes(" | ");
  const bare = isRow ? line.split("|").map((cell) => cell.trim()).filter(Boolean).join(" · ") : line;
  return bare
    .replace(/^\s*(?:>\s?)+/, "")
    .replace(/^\s*#{1,6}\s+/, "")
    .replace(/^\s*[-*+]\s+/, "• ")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/(\*\*|__|`+)(.+?)\1/g, "$2")
    .trim();
}

/** One line for each line that has words; cells of a table are told apart by a dot. */
export function plainWords(text: string): string {
  return text
    .replace(/\u00ad[\s\u200b]*/g, "")
    .split(/\r?\n/)
    .filter((line) => !RULE.test(line) && !/^\s*(```|~~~)/.test(line))
    .map(lineOf)
    .filter(Boolean)
    .join("\n");
}
