import { describe, expect, it } from "vitest";
import type { Checks, Citation } from "@/shared/api/types";
import { bindMarks, type Bound } from "../markdown/bind";
import { contentOf, linesOf } from "../markdown/content";
import { parseInline, type Inline } from "../markdown/inline";
import { cutByUncited, markState, placeStatements, usedAt } from "./statements";

const checks = (ranges: [number, number, "found" | "partly" | "uncited"][]): Checks => ({
  citations_valid: true, numbers_grounded: true, ungrounded_numbers: [], found: 1, total: ranges.length,
  statements: ranges.map(([start, end, status]) => ({ start, end, status, cited: [] })),
});
const use = (statement: number, verdict: "found" | "partly") => ({
  statement, verdict, quote: "q", start: 0, end: 1, context: null, evidence: null,
});
const citation = (uses: ReturnType<typeof use>[], removed = false): Citation => ({
  n: 1, source_id: "s", reading_id: "r", source_title: "T", kind: "pdf", chunk_id: "c", passage: 1, similarity: null, removed,
  quote: "q", start: 0, end: 1, verdict: uses[0]?.verdict ?? null, uses,
});

describe("statements", () => {
  it("ranges in code points become ranges of the string", () => {
    expect(placeStatements("😀😀 ab cd", checks([[3, 5, "found"]]))[0]).toMatchObject({ start: 5, end: 7 });
  });

  it("a mark behind the full stop still answers for its sentence", () => {
    const placed = placeStatements("One. [1] Two. [1]", checks([[0, 4, "found"], [9, 13, "partly"]]));
    const cited = citation([use(0, "found"), use(1, "partly")]);
    expect(usedAt(cited, placed, 5)?.verdict).toBe("found");
    expect(usedAt(cited, placed, 14)?.verdict).toBe("partly");
  });

  it("a removed source wins over its verdict, and a mark is neutral before the check", () => {
    const cited = citation([use(0, "found")], true);
    expect(markState(cited, cited.uses[0] ?? null, true)).toBe("removed");
    expect(markState(citation([use(0, "found")]), null, false)).toBe("streaming");
    expect(markState(undefined, null, true)).toBe("unknown");
  });

  it("a text is cut where uncited statements begin and end", () => {
    const placed = placeStatements("0123456789", checks([[2, 5, "uncited"], [5, 7, "found"]]));
    expect(cutByUncited(0, 10, placed).map(({ from, to, uncited }) => [from, to, uncited !== null])).toEqual([
      [0, 2, false], [2, 5, true], [5, 10, false],
    ]);
    expect(cutByUncited(3, 1, placed)).toMatchObject([{ from: 0, to: 1, uncited: { index: 0 } }]);
    expect(cutByUncited(8, 0, placed)).toHaveLength(1);
  });
});

describe("marks and the words before them", () => {
  const shape = (text: string): string[] => {
    const show = (node: Bound): string => {
      if (node.kind === "bound") return `(${node.nodes.map(show).join("")})`;
      if (node.kind === "strong" || node.kind === "em") return `<${node.children.map((child: Inline) => show(child)).join("")}>`;
      if (node.kind === "mark") return `{${node.n}}`;
      return node.kind === "break" ? "/" : node.value;
    };
    return bindMarks(parseInline(contentOf(linesOf(text)))).map(show);
  };

  it.each([
    ["limit is 30 km [1][2]. Next", ["limit is 30 ", "(km {1}{2}.)", " Next"]],
    ["**very bold**[1]", ["<very >", "(<bold>{1})"]],
    ["[1] first", ["({1})", " first"]],
    ["a [1] b [2]", ["(a {1})", " ", "(b {2})"]],
  ])("%s", (text, expected) => {
    expect(shape(text)).toEqual(expected);
  });

  it("a very long word may break", () => {
    expect(shape(`${"x".repeat(40)}[1]`)).toEqual(["x".repeat(40), "({1})"]);
  });
});
