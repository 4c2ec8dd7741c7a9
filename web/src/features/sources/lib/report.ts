/** The report of a reading as lines of a table. */
import type { Report } from "@/shared/api/types";
import { currentLanguage, t, type Key } from "@/shared/i18n/i18n";
import { number } from "@/shared/i18n/format";

export interface Fact {
  key: Key;
  value: string;
  pages?: number[];
}

/** Unknown stays unknown: a cost nobody knows is a dash, never 0. */
export function factsOf(report: Report): Fact[] {
  const n = (value: number): string => number(value, currentLanguage());
  const unread = report.not_read.map((page) => page.page);
  const paged: Fact[] = report.pages
    ? [
        { key: "report.pages", value: n(report.pages) },
        { key: "report.by_text", value: n(report.by_text) },
        ...(report.by_vision > 0 ? [{ key: "report.by_vision", value: n(report.by_vision) } as const] : []),
        { key: "report.empty", value: n(report.empty.length), pages: report.empty },
        { key: "report.not_read", value: n(unread.length), pages: unread },
      ]
    : [];
  return [
    ...paged,
    { key: "report.words", value: n(report.words) },
    { key: "report.seconds", value: t("report.seconds_value", { n: Math.round(report.seconds * 10) / 10 }) },
    ...(report.calls > 0 ? [{ key: "report.calls", value: n(report.calls) } as const] : []),
    { key: "report.cost", value: report.cost === null ? t("ui.unknown") : String(report.cost) },
  ];
}

/** "Pages 3–5, 9": runs are joined. */
export function pageList(pages: number[]): string {
  if (pages.length === 0) return "";
  const runs: [number, number][] = [];
  for (const page of [...pages].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && page === last[1] + 1) last[1] = page;
    else runs.push([page, page]);
  }
  const list = runs.map(([from, to]) => (from === to ? String(from) : `${from}–${to}`)).join(", ");
  return t(pages.length === 1 ? "report.page_list" : "report.pages_list", { list });
}
