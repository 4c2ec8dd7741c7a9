/** Questions without an answer, in words. */
import type { Miss, MissReason, TestQuestion } from "@/shared/api/types";
import { t, type Key } from "@/shared/i18n/i18n";

const REASONS: Record<MissReason, Key> = {
  nothing_found: "misses.reason.nothing_found",
  not_covered: "misses.reason.not_covered",
  thumbs_down: "misses.reason.thumbs_down",
};

/** "Nothing found", "The sources do not say it · 2", in falling order. */
export function reasonWords(miss: Miss): string[] {
  const counts = Object.entries(miss.reasons).filter(([, n]) => n > 0);
  return counts
    .sort((a, b) => b[1] - a[1])
    .map(([reason, n]) => {
      const key = REASONS[reason as MissReason];
      const name = key ? t(key) : reason;
      return counts.length > 1 || n > 1 ? t("misses.times", { name, n }) : name;
    });
}

/** What a test question expects, with the titles of the sources it names. */
export function expects(question: TestQuestion, titles: ReadonlyMap<string, string>): string {
  if (question.source_ids.length === 0) return t("misses.expectsNothing");
  const known = question.source_ids.flatMap((id) => titles.get(id) ?? []);
  const gone = question.source_ids.length - known.length;
  return [known.join(", "), gone > 0 ? t("misses.gone", { n: gone }) : ""].filter(Boolean).join(" · ");
}

/** The command that runs a notebook's test questions; one word of the shell, whatever the title is. */
export function command(notebookId: string): string {
  return `sourcebook eval run --notebook ${notebookId}`;
}
