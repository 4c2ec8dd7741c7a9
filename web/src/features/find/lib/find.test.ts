import { describe, expect, it } from "vitest";
import { addressOf, findPlace, isByWordsOnly, isWorthIt } from "@/features/find/lib/place";
import { pieces, rangeOf } from "@/features/find/lib/snippet";
import type { FoundItem } from "@/shared/api/types";

const item = (fields: Partial<FoundItem>): FoundItem => ({
  chunk_id: "a", source_id: "s", source_title: "Lake", kind: "markdown", reading_id: "r", passage: 4, start: 100, end: 130, page: null, heading: null, text: "🏞 The lake is deep.",
  words_rank: 1, meaning_rank: null, similarity: null, fused_rank: 1, kept: true, why: "", reason: "kept", needed: null, idf_share: null, words_score: null, fused_score: null, pool: null, notebook_id: "n",
  snippet: { text: "", start: 0, marks: [] }, ...fields,
});

describe("the address of the search", () => {
  it("says the words, the notebook and whether all are searched", () => {
    expect(findPlace("q=a+%22b+c%22&n=1")).toEqual({ words: 'a "b c"', notebookId: "1", isAll: false });
    expect(findPlace("n=1&all=1").isAll).toBe(true);
    expect(findPlace("q=x")).toEqual({ words: "x", notebookId: null, isAll: true });
  });

  it("is read back as it was written", () => {
    for (const place of [findPlace("q=a&n=1&all=1"), findPlace(""), findPlace("q=%C3%A4*&n=2")]) {
      expect(findPlace(addressOf(place).split("?")[1] ?? "")).toEqual(place);
    }
  });
});

describe("what is typed", () => {
  it("is worth a search from two letters or one sign on", () => {
    expect(["", "a", "ab", "水"].map(isWorthIt)).toEqual([false, false, true, true]);
  });

  it("goes by words only with a phrase or a beginning in it", () => {
    expect(['"deep lake"', "lim*", 'a "b" c', '""', "*", "deep lake", '5"', "„tiefer See“"].map(isByWordsOnly)).toEqual([true, true, true, false, false, false, false, true]);
  });
});

describe("a snippet", () => {
  const snippet = { text: "🏞 The lake is deep.", start: 7, marks: [[14, 18], [6, 10]] as [number, number][] };

  it("is cut at its marks, counted in code points", () => {
    expect(pieces(item({ snippet })).map(({ text, isMarked }) => (isMarked ? `[${text}]` : text)).join("")).toBe("🏞 The [lake] is [deep].");
  });

  it("opens the reader from its first marked word to its last, counted in the passage", () => {
    expect(rangeOf(item({ snippet }))).toEqual({ passage: 4, start: 13, end: 25 });
  });

  it("opens the reader at all of it where meaning alone found it", () => {
    expect(rangeOf(item({ snippet: { ...snippet, marks: [] } }))).toEqual({ passage: 4, start: 7, end: 7 + 19 });
  });

  it("marks overlapping words once", () => {
    const marks: [number, number][] = [[2, 10], [6, 10], [8, 8]];
    expect(pieces(item({ snippet: { ...snippet, marks } })).filter((piece) => piece.isMarked).map((piece) => piece.text)).toEqual(["The lake"]);
  });
});
