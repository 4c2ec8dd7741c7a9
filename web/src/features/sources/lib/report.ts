/** The report of a reading as lines of a table. */
import { pageReason } from "@/features/sources/lib/reasons";
import { rowsOf } from "@/features/sources/lib/units";
import type { NotRead, Report, Source } from "@/shared/api/types";
import { clock, currentLanguage, money, t, type Key } from "@/shared/i18n/i18n";
import { number } from "@/shared/i18n/format";
import { lookOf } from "@/shared/lib/kinds";

export interface Fact {
  key: Key;
  value: string;
  /** Which pages, and why where there is a why; a line each. */
  notes?: string[];
}

/** Unknown stays unknown: a cost nobody knows is a dash, never 0. */
export function factsOf(source: Source, report: Report): Fact[] {
  const n = (value: number): string => number(value, currentLanguage());
  const rows = rowsOf(source, report);
  return [
    ...(report.pages ? paged(report, lookOf(source) === "slides" ? "report.slides" : "report.pages", n) : unpaged(report, n)),
    ...(source.duration_ms ? [{ key: "report.length", value: clock(source.duration_ms) } as const] : []),
    ...(rows === null ? [] : [{ key: "report.rows", value: n(rows) } as const]),
    { key: "report.words", value: n(report.words) },
    { key: "report.seconds", value: time(report.seconds) },
    ...(report.calls > 0 ? [{ key: "report.calls", value: n(report.calls) } as const] : []),
    { key: "report.cost", value: report.cost === null ? t("ui.unknown") : money(report.cost, report.currency ?? source.estimate?.currency) },
  ];
}

const LONG_S = 120;

function time(seconds: number): string {
  return seconds >= LONG_S ? clock(seconds * 1000) : t("report.seconds_value", { n: Math.round(seconds * 10) / 10 });
}

function paged(report: Report, unit: Key, n: (value: number) => string): Fact[] {
  const empty: Fact = { key: "report.empty", value: n(report.empty.length) };
  if (report.empty.length > 0) empty.notes = [pageList(report.empty)];
  return [
    { key: unit, value: n(report.pages ?? 0) },
    { key: "report.by_text", value: n(report.by_text) },
    ...(report.by_vision > 0 ? [{ key: "report.by_vision", value: n(report.by_vision) } as const] : []),
    empty,
    unread(report, n),
  ];
}

/** What has no pages says only what is missing, if something is. */
function unpaged(report: Report, n: (value: number) => string): Fact[] {
  return report.not_read.length > 0 ? [unread(report, n)] : [];
}

function unread(report: Report, n: (value: number) => string): Fact {
  const fact: Fact = { key: "report.not_read", value: n(report.not_read.length) };
  if (report.not_read.length > 0) fact.notes = byReason(report.not_read);
  return fact;
}

/** "Pages 4–5: a picture, without text of its own.": pages with the same reason together, in the order of their first. */
export function byReason(entries: NotRead[]): string[] {
  const groups = new Map<string, number[]>();
  for (const { page, code, why } of entries) {
    const reason = pageReason(code, why);
    groups.set(reason, [...(groups.get(reason) ?? []), page]);
  }
  return [...groups].map(([why, pages]) => t("report.pages_why", { pages: pageList(pages), why }));
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
