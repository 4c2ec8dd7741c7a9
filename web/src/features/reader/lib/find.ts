/** Search in a source's passages: case, accents, soft hyphens and line ends do not matter. */

import { offsetMap } from "@/shared/lib/codepoints";
import type { Passage } from "@/shared/api/types";
import type { At } from "@/features/citations/lib/address";

const MOST = 1000; // matches; more than anybody steps through

interface Folded {
  readonly text: string;
  /** UTF-16 place in the original of each unit of the folded text, and of its end. */
  readonly places: readonly number[];
}

/** The text as it is compared, with the way back to where each letter stood. */
export function fold(text: string): Folded {
  let out = "";
  const places: number[] = [];
  let isBlank = true;
  for (let at = 0; at < text.length; ) {
    const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
    const next = at + char.length;
    if (/\s/.test(char)) {
      if (!isBlank) add(" ");
      isBlank = true;
    } else if (char !== "\u00ad" && char !== "\u200b") {
      add(char.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase());
      isBlank = false;
    } else if (/^\s*\n\s*/.test(text.slice(next, next + 8))) {
      // A word parted at the line's end goes on in the next line.
      const gap = /^\s*/.exec(text.slice(next))?.[0].length ?? 0;
      at = next + gap;
      continue;
    }
    at = next;
    function add(letters: string): void {
      out += letters;
      for (let unit = 0; unit < letters.length; unit += 1) places.push(at);
    }
  }
  places.push(text.length);
  return { text: out, places };
}

const foldedPassages = new WeakMap<Passage, Folded>();

function foldOf(passage: Passage): Folded {
  const known = foldedPassages.get(passage) ?? fold(passage.text);
  foldedPassages.set(passage, known);
  return known;
}

function endOfLetter(text: string, at: number): number {
  const code = text.codePointAt(at) ?? 0;
  let end = at + (code > 0xffff ? 2 : 1);
  while (end < text.length && /\p{M}/u.test(text.charAt(end))) end += 1;
  return end;
}

/** Every place where `words` stand, in reading order, as code point ranges of their passages. */
export function findIn(passages: readonly Passage[], words: string): readonly At[] {
  const wanted = fold(words).text.trim();
  if (wanted === "") return [];
  const found: At[] = [];
  for (const passage of passages) {
    const { text, places } = foldOf(passage);
    const map = offsetMap(passage.text);
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      const start = places[at] ?? 0;
      const end = endOfLetter(passage.text, places[at + wanted.length - 1] ?? start);
      found.push({ passage: passage.passage, start: map.toPoints(start), end: map.toPoints(end) });
      if (found.length >= MOST) return found;
    }
  }
  return found;
}
