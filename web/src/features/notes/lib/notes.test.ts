import { describe, expect, it } from "vitest";
import { cutByUncited } from "@/features/citations/lib/statements";
import { placeOwn, plainWords } from "./plain";

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
    const own = placeOwn(text, [[13, 18]]);
    expect(text.slice(own[0]?.start, own[0]?.end)).toBe("Mine.");
    expect(cutByUncited(0, text.length, own).map(({ from, to, uncited }) => [text.slice(from, to), uncited?.status])).toEqual([["🐟 Fish swim. ", undefined], ["Mine.", "yours"]]);
  });
});
