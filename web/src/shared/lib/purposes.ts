/** Ways of answering, named for what they are for; the code name stands beside the words in small type. */

import type { Key, t as translate } from "@/shared/i18n/i18n";

export const PURPOSES = ["notebook", "docs", "help", "persona", "product"] as const;
export type Purpose = (typeof PURPOSES)[number];

export interface PurposeOption {
  readonly value: Purpose;
  readonly label: string;
  readonly note: string;
}

/** The five purposes, each with one sentence, what it needs, and its code name. */
export function purposeOptions(t: typeof translate): PurposeOption[] {
  return PURPOSES.map((value) => ({ value, label: t(`purpose.${value}` satisfies Key), note: `${t(`purpose.${value}_what` satisfies Key)} (${value})` }));
}
