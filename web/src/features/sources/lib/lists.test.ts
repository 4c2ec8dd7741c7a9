import { beforeAll, describe, expect, it } from "vitest";
import { sorted } from "@/features/sources/lib/order";
import { factsOf, pageList } from "@/features/sources/lib/report";
import type { Report, Source } from "@/shared/api/types";
import { setLanguage } from "@/shared/i18n/i18n";

const source = (title: string, fields: Partial<Source> = {}): Source =>
  ({ title, status: "ready", created_at: "2026-05-03T10:00:00Z", file_name: null, url: null, authors: [], labels: [], ...fields }) as unknown as Source;
const titles = (rows: Source[]) => rows.map((row) => row.title);

beforeAll(() => setLanguage("en"));

describe("the list of sources", () => {
  it("puts the newest first, and numbers in titles in their order", () => {
    const rows = [source("Paper 10"), source("Paper 9"), source("New", { created_at: "2026-06-01T10:00:00Z" })];
    expect(titles(sorted(rows, "added", ""))).toEqual(["New", "Paper 9", "Paper 10"]);
  });

  it("puts what needs its person first when asked", () => {
    const rows = [source("A"), source("B", { status: "failed" }), source("C", { status: "reading" })];
    expect(titles(sorted(rows, "status", ""))).toEqual(["B", "C", "A"]);
  });

  it("finds by title, author and label, whatever the case", () => {
    const rows = [source("Speed"), source("Width", { authors: ["L. Okafor"] }), source("Noise", { labels: ["Street"] })];
    expect(titles(sorted(rows, "title", "okaf"))).toEqual(["Width"]);
    expect(titles(sorted(rows, "title", "STREET"))).toEqual(["Noise"]);
  });
});

describe("the report", () => {
  it("joins runs of pages", () => {
    expect(pageList([5, 3, 4, 9])).toBe("Pages 3–5, 9");
    expect(pageList([7])).toBe("Page 7");
    expect(pageList([])).toBe("");
  });

  const report: Report = { pages: null, by_text: 0, by_vision: 0, empty: [], not_read: [], words: 1240, characters: 1, warnings: [], calls: 0, cost: null, seconds: 0.42 };
  const values = (fields: Partial<Source>, more: Partial<Report> = {}) =>
    Object.fromEntries(factsOf(source("A", { kind: "pdf", meta: {}, ...fields }), { ...report, ...more }).map((fact) => [fact.key, fact.notes ? [fact.value, ...fact.notes] : fact.value]));

  it("shows an unknown cost as a dash and leaves pages out where there are none", () => {
    expect(values({ kind: "text" })).toEqual({ "report.words": "1,240", "report.seconds": "0.4 seconds", "report.cost": "–" });
  });

  it("writes a cost as money, and a small one so that it says something", () => {
    expect(values({}, { cost: "0.42", currency: "EUR" })["report.cost"]).toBe("€0.42");
    expect(values({}, { cost: "0.00042", currency: "EUR" })["report.cost"]).toBe("€0.00042");
    expect(values({}, { cost: "0", currency: "EUR" })["report.cost"]).toBe("€0.00");
  });

  it("counts slides, rows and minutes", () => {
    expect(values({ kind: "office", media_type: "application/vnd.openxmlformats-officedocument.presentationml.presentation" }, { pages: 9 })["report.slides"]).toBe("9");
    expect(values({ kind: "office", media_type: "text/csv" }, { rows: 1200 })["report.rows"]).toBe("1,200");
    expect(values({ kind: "audio", duration_ms: 760_000 })["report.length"]).toBe("12:40");
  });

  it("names the pages that were not read, those with the same reason together", () => {
    const notRead = [
      { page: 4, code: "no_text_layer", why: "A picture." },
      { page: 9, code: "damaged_file", why: "Damaged." },
      { page: 5, code: "no_text_layer", why: "A picture." },
    ];
    expect(values({}, { pages: 9, by_text: 5, empty: [6], not_read: notRead })).toMatchObject({
      "report.empty": ["1", "Page 6"],
      "report.not_read": ["3", "Pages 4–5: A picture.", "Page 9: Damaged."],
    });
  });
});
