/** What calls cost, as it is told. */
import { money } from "@/shared/i18n/i18n";

export type Amount = string | number | null;

/** A sum that lacks calls of unknown cost is a lower bound, and is told as one; nothing known is "–", never 0. */
export function costOf(amount: Amount, unknownCalls: number, currency: string | null | undefined, unknown: string): string {
  if (amount === null) return unknown;
  return `${unknownCalls > 0 ? "≥ " : ""}${money(amount, currency)}`;
}
