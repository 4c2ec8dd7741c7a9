import { describe, expect, it } from "vitest";
import { cutByUncited } from "@/features/citations/lib/statements";
import { placeNote, plainWords } from "./plain";

describe("a note in a list", () => {
  it("shows its words without the signs of Markdown and without marks", () => {
    expect(plainWords("## In short\n\n- The lake is **40 metres** deep [^1].\n- Two[^2, 3]")).toBe("In short The lake is 40 metres deep. Two");
  });

  it("is cut where it is long", () => {
    expect(plainWords("word ".repeat(60))).toMatch(/word…$/);
  });
});

describe("a person's own words", () => {
  it("are placed in units of the string, counted in code points", () => {
    const text = "🐟 Fish swim. Mine.";
    const placed = placeNote({ text, edited: [[13, 18]], statements: [{ start: 0, end: 12, cited: [1], status: "found" }, { start: 13, end: 18, cited: [], status: "uncited" }] });
    expect(placed.map((one) => [one.index, text.slice(one.start, one.end), one.status])).toEqual([[0, "🐟 Fish swim.", "found"], [-1, "Mine.", "yours"]]);
    expect(cutByUncited(0, text.length, placed).map(({ from, to, uncited }) => [text.slice(from, to), uncited?.status])).toEqual([["🐟 Fish swim. ", undefined], ["Mine.", "yours"]]);
  });
});
