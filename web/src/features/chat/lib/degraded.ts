/** Parts of an answer's search that were away, and the words that say so. */

import type { Key } from "@/shared/i18n/i18n";

export const DEGRADED: Record<string, Key> = {
  words_only: "answer.wordsOnly",
  indexing: "answer.indexing",
  prompt_cut: "answer.promptCut",
  without_documents: "answer.withoutDocuments",
};
