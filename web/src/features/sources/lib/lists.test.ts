import { beforeAll, describe, expect, it } from "vitest";
import { sorted } from "@/features/sources/lib/order";
import { factsOf, pageList } from "@/features/sources/lib/report";
import type { Source } from "@/shared/api/types";
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

  it("shows an unknown cost as a dash and leaves pages out where there are none", () => {
    const report = { pages: null, by_text: 0, by_vision: 0, empty: [], not_read: [], words: 1240, characters: 1, warnings: [], calls: 0, cost: null, seconds: 0.42 };
    expect(factsOf(report)).toEqual([
      { key: "report.words", value: "1,240" },
      { key: "report.seconds", value: "0.4 seconds" },
      { key: "report.cost", value: "–" },
    ]);
  });
});
