/** Page text on a narrow screen: full lines of the page flow on, short ones (headings, ends of paragraphs) still end. */

const FULL = 0.72; // of the page's usual line; ragged setting rarely falls below

/**
 * The text with the line ends of full lines turned into blanks, unit for unit: every offset stays what it was.
 * After a soft hyphen the line end becomes zero-width, so the parted word stands whole.
 */
export function flow(text: string): string {
  const lines = text.split("\n");
  const lengths = lines.map((line) => line.trimEnd().length).filter((length) => length > 0).sort((a, b) => a - b);
  // The ninth tenth, not the longest: one long line must not make all others short.
  const usual = lengths[Math.floor(lengths.length * 0.9)] ?? 0;
  let out = "";
  lines.forEach((line, at) => {
    const next = lines[at + 1];
    if (next === undefined) {
      out += line;
      return;
    }
    const words = line.trimEnd();
    const goesOn = words.length >= usual * FULL && next.trim() !== "";
    if (!goesOn) out += `${line}\n`;
    else if (words.endsWith("\u00ad")) out += words + "\u200b".repeat(line.length - words.length + 1);
    else out += `${line} `;
  });
  return out;
}
