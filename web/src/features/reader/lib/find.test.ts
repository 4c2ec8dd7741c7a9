import { describe, expect, it } from "vitest";
import { sliceByCodePoints } from "@/shared/lib/codepoints";
import { findIn } from "./find";
import { flow } from "./flow";
import { lineRange, marksRange, segments, splitAt } from "./segments";

const passage = (text: string, at = 0) => ({ passage: at, offset: 0, method: "text", text });
const words = (text: string, wanted: string) => findIn([passage(text)], wanted).map(({ start, end }) => sliceByCodePoints(text, start, end));

describe("search in a source", () => {
  it.each([
    ["The Café closed. café again", "CAFE", ["Café", "café"]],
    ["a hyphen\u00ad\r\nated word", "hyphenated", ["hyphen\u00ad\r\nated"]],
    ["over\nthe   line", "over the line", ["over\nthe   line"]],
    ["😀😀 fox and e\u0301tude", "étude", ["e\u0301tude"]],
    ["nothing here", "absent", []],
    ["  ", " ", []],
  ])("in %j %j is found", (text, wanted, expected) => {
    expect(words(text, wanted)).toEqual(expected);
  });

  it("matches come in reading order with their passage", () => {
    expect(findIn([passage("one two one"), passage("one", 1)], "one").map(({ passage: at, start }) => [at, start])).toEqual([[0, 0], [0, 8], [1, 0]]);
  });
});

describe("segments", () => {
  it("joined pieces are the text, and the named ones are the ranges in code points", () => {
    const text = "😀 one e\u0301 two";
    const pieces = segments(text, [{ start: 2, end: 5, name: "cited" }, { start: 4, end: 8, name: "match" }]);
    expect(pieces.map((piece) => piece.text).join("")).toBe(text);
    expect(pieces.map((piece) => [piece.text, piece.names])).toEqual([["😀 ", []], ["on", ["cited"]], ["e", ["cited", "match"]], [" e\u0301", ["match"]], [" two", []]]);
  });

  it("a text in two keeps its words, and a range over the cut is in both", () => {
    const parts = splitAt("😀 words it shows", [{ start: 2, end: 10, name: "cited" }, { start: 0, end: 1, name: "match" }], 8);
    expect(parts.map((part) => part.text)).toEqual(["😀 words ", "it shows"]);
    expect(parts.map((part) => part.ranges.map(({ start, end, name }) => [start, end, name]))).toEqual([[[2, 8, "cited"], [0, 1, "match"]], [[0, 2, "cited"]]]);
  });

  it("an empty range marks nothing", () => {
    expect(segments("abc", [{ start: 1, end: 1, name: "cited" }])).toHaveLength(1);
  });

  it("a heading's line ends at its line end", () => {
    expect(lineRange("😀\n# Title\nmore", 2, "heading")).toEqual({ start: 2, end: 9, name: "heading" });
  });
});

describe("marks of headings", () => {
  it("are the signs and blanks before its words, in code points", () => {
    expect(marksRange("😀\n## Title\n", 2, "marks")).toEqual({ start: 2, end: 5, name: "marks" });
    expect(marksRange("Title\n=====", 0, "marks")).toBeNull();
    expect(marksRange("#hashtag", 0, "marks")).toBeNull();
  });
});

describe("page text that flows", () => {
  const page = "2. Heading\r\nA full line of the page that goes on\r\nto the next line, where a word is par\u00ad\r\nted, and ends here.\r\n\r\nA new paragraph of the page, also long\r\nenough.";

  it("full lines flow on, a heading and the end of a paragraph still end", () => {
    const shown = flow(page).replace(/[\u00ad\u200b]/g, "");
    expect(shown.split("\n").map((line) => line.replace(/\s+/g, " ").trim())).toEqual([
      "2. Heading",
      "A full line of the page that goes on to the next line, where a word is parted, and ends here.",
      "",
      "A new paragraph of the page, also long enough.",
    ]);
  });

  it("every offset stays what it was", () => {
    expect(flow(page)).toHaveLength(page.length);
    expect(flow("")).toBe("");
  });
});
