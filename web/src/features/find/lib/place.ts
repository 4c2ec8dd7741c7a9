/** What the address of the search says. */

import { findAddress } from "@/shared/lib/addresses";

export interface FindPlace {
  readonly words: string;
  /** The notebook the search was opened from. */
  readonly notebookId: string | null;
  /** All of mine, although it was opened from a notebook. */
  readonly isAll: boolean;
}

export function findPlace(search: string): FindPlace {
  const query = new URLSearchParams(search);
  const notebookId = query.get("n");
  return { words: query.get("q")?.trim() ?? "", notebookId, isAll: notebookId === null || query.get("all") === "1" };
}

export function addressOf({ words, notebookId, isAll }: FindPlace): string {
  const address = findAddress(notebookId, words);
  return notebookId && isAll ? `${address}&all=1` : address;
}

/** Whether a pause in typing these words is worth a search: one Latin letter is not, one Chinese sign is. */
export function isWorthIt(words: string): boolean {
  return words.length > 1 || /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u.test(words);
}

/** Whether the words ask for an exact phrase or a beginning, which meaning has no part in. */
export function isByWordsOnly(words: string): boolean {
  return /(?:"[^"]*[\p{L}\p{N}][^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」|[\p{L}\p{N}]\*)/u.test(words);
}
