/** The widget's own words, all five languages in its one file. */

import cs from "./words/cs.json";
import de from "./words/de.json";
import en from "./words/en.json";
import es from "./words/es.json";
import fr from "./words/fr.json";

export type Word = keyof typeof en;
export type Say = (word: Word, given?: Record<string, string | number>) => string;
export const LANGUAGES: Record<string, Record<Word, string>> = { en, de, cs, es, fr };

/** The first of the wishes that we have, else English: the assistant's language, the page's, the browser's. */
export function languageOf(wishes: readonly (string | null | undefined)[]): string {
  for (const wish of wishes) {
    const short = wish?.slice(0, 2).toLowerCase();
    if (short && short in LANGUAGES) return short;
  }
  return "en";
}

export function sayIn(language: string): Say {
  const words = LANGUAGES[language] ?? en;
  return (word, given = {}) => words[word].replace(/\{(\w+)\}/g, (whole, name: string) => String(given[name] ?? whole));
}
