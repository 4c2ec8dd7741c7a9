import { describe, expect, it } from "vitest";
import { sliceByCodePoints } from "@/shared/lib/codepoints";
import { hasTimes, partAt } from "./recording";
import { pageCount, shapeOf, viewOf } from "./shape";
import { blocksOf, citedCells, columnName, columnWidths, isNumber, rowAt, type TableRow } from "./table";

const is = (kind: string, media_type: string | null = null, pages: number | null = null) => ({ kind, media_type, pages }) as Parameters<typeof shapeOf>[0];

describe("how a source is shown", () => {
  it.each([
    ["pages", is("pdf", "application/pdf", 3)],
    ["text", is("pdf", "application/pdf", null)],
    ["scan", is("image", "image/png")],
    ["recording", is("audio", "video/mp4")],
    ["table", is("office", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")],
    ["table", is("office", "text/tab-separated-values")],
    ["slides", is("office", "application/vnd.oasis.opendocument.presentation", 4)],
    ["text", is("office", "message/rfc822")],
    ["text", is("url", "text/html")],
    ["table", is("url", "text/csv")],
    ["recording", is("url", "audio/mpeg")],
    ["pages", is("url", "application/pdf", 12)],
    ["scan", is("url", "image/png")],
    ["text", is("office", null)],
  ])("as %s: %j", (shape, source) => {
    expect(shapeOf(source)).toBe(shape);
  });

  it("a picture has one page, also when nobody counted", () => {
    expect([pageCount(is("image")), pageCount(is("image", "image/tiff", 3)), pageCount(is("audio")), pageCount(is("office", "text/csv", 2))]).toEqual([1, 3, 0, 0]);
  });

  it("without the file that was read its text is shown, whatever was chosen", () => {
    expect(viewOf("pages", { chosen: "pages", isTextFirst: false, hasFile: false })).toBe("text");
    expect(viewOf("scan", { chosen: null, isTextFirst: true, hasFile: true })).toBe("text");
    expect(viewOf("scan", { chosen: "pages", isTextFirst: true, hasFile: true })).toBe("pages");
    expect(viewOf("table", { chosen: null, isTextFirst: true, hasFile: false })).toBe("table");
  });
});

describe("cells of a range", () => {
  const text = "😀 a\t12\t12\nInner\t\tby hand\n";
  const line = (row: TableRow): string => sliceByCodePoints(text, row.start, row.end);
  const first: TableRow = { row: 40, passage: 3, start: 0, end: 9, cells: ["😀 a", "12", "12"] };
  const second: TableRow = { row: 41, passage: 3, start: 10, end: 24, cells: ["Inner", "", "by hand"] };
  const cells = (row: TableRow, start: number, end: number, passage = 3) => [...citedCells(row, { passage, start, end }, line(row))];

  it("the row of a place is counted by line ends in code points", () => {
    expect([rowAt(text, 40, 0), rowAt(text, 40, 9), rowAt(text, 40, 10), rowAt(text, 40, 24)]).toEqual([40, 40, 41, 41]);
  });

  it("a whole row, one cell, the second of two equal cells, a neighbour, another passage", () => {
    expect(cells(first, 0, 9)).toEqual([0, 1, 2]);
    expect(cells(first, 4, 6)).toEqual([1]);
    expect(cells(first, 7, 9)).toEqual([2]);
    expect(cells(second, 0, 9)).toEqual([]);
    expect(cells(second, 0, 24, 4)).toEqual([]);
    expect(cells(second, 16, 18)).toEqual([2]);
  });

  it("cells that are not in the line as they are shown are all cited with their row", () => {
    expect([...citedCells({ ...second, cells: ["Inner", "1,5"] }, { passage: 3, start: 10, end: 12 }, line(second))]).toEqual([0, 1]);
  });
});

describe("the table's layout", () => {
  it("blocks hold the rows of the view", () => {
    expect([blocksOf(1, 100), blocksOf(95, 205), blocksOf(0, 0)]).toEqual([[0], [0, 1, 2], [0]]);
  });

  it("columns are as wide as most of their cells, within bounds", () => {
    const rows = [{ row: 1, passage: 0, start: 0, end: 1, cells: ["x".repeat(200), "1"] }];
    expect(columnWidths(["Name", "A longer head", "Third"], rows)).toEqual([320, 130, 72]);
  });

  it("columns without a header are named as in any table", () => {
    expect([0, 25, 26, 701, 702].map(columnName)).toEqual(["A", "Z", "AA", "ZZ", "AAA"]);
  });

  it.each([["4711", true], ["−3.5 %", true], ["(12)", true], ["1 200,50", true], ["2026-05-03", false], ["12 km", false], ["", false]])("%j is a number: %j", (cell, expected) => {
    expect(isNumber(cell)).toBe(expected);
  });
});

describe("the part that is heard", () => {
  const parts = [{ start_ms: 300 }, { start_ms: 45_000 }, { start_ms: 90_000 }];

  it.each([[0, -1], [300, 0], [44_999, 0], [45_000, 1], [9e9, 2]])("at %d ms it is %d", (ms, expected) => {
    expect(partAt(parts, ms)).toBe(expected);
  });

  it("without times there is none", () => {
    expect(hasTimes([{ start_ms: null }])).toBe(false);
    expect(partAt([{ start_ms: null }], 10)).toBe(-1);
  });
});
