import { describe, expect, it } from "vitest";
import { placeMark } from "@/features/citations/lib/marks";
import { cutByUncited } from "@/features/citations/lib/statements";
import type { Citation } from "@/shared/api/types";
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
    const placed = placeNote({ text, edited: [[13, 18]], citations: [] });
    expect(placed.map((one) => [one.index, text.slice(one.start, one.end), one.status])).toEqual([[-1, "Mine.", "yours"]]);
    expect(cutByUncited(0, text.length, placed).map(({ from, to, uncited }) => [text.slice(from, to), uncited?.status])).toEqual([["🐟 Fish swim. ", undefined], ["Mine.", "yours"]]);
  });
});

describe("the marks of an unchanged answer", () => {
  const use = (statement: number, verdict: "found" | "partly") => ({ statement, quote: "q", start: 0, end: 1, context: null, verdict, evidence: null });
  const citation = { n: 1, uses: [use(4, "partly"), use(0, "found")], removed: false } as unknown as Citation;

  it("answer each with its own use", () => {
    const text = "One [^1]. Two [^1].";
    const placed = placeNote({ text, edited: [], citations: [citation] });
    const states = [text.indexOf("[^1]"), text.lastIndexOf("[^1]")].map((at) => placeMark({ key: "", n: 1, at }, [citation], placed, true)?.state);
    expect(states).toEqual(["found", "partly"]);
  });
});
