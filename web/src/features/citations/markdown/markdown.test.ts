import { describe, expect, it } from "vitest";
import { parseLines, type Block } from "./blocks";
import { contentOf, linesOf } from "./content";
import { GrowingBlocks } from "./growing";
import { parseInline, type Inline } from "./inline";

const blocks = (text: string): Block[] => parseLines(linesOf(text));
const inline = (text: string, open = false): readonly Inline[] => parseInline(contentOf(linesOf(text)), open);
const plain = (nodes: readonly Inline[]): string =>
  nodes
    .map((node) => {
      if (node.kind === "strong" || node.kind === "em") return `<${node.kind}>${plain(node.children)}</${node.kind}>`;
      if (node.kind === "mark") return `{${node.n}}`;
      if (node.kind === "break") return "\n";
      if (node.kind === "text") return node.value;
      return `<${node.kind}>${node.value}</${node.kind}>`;
    })
    .join("");

const LONG = [
  "The limit is **30 km/h** [1].",
  "",
  "# Measures",
  "1. First point [1], with",
  "   a second line",
  "2. Second",
  "   - nested *one* [2]",
  "   - nested two",
  "",
  "3. After a gap",
  "",
  "| Year | Value |",
  "|:-----|------:|",
  "| 2024 | 14.2 [3] |",
  "| 2025 | 15 \\| 16 |",
  "",
  "> quoted",
  "> lines",
  "",
  "```py",
  "x[0] = 1  # [1]",
  "```",
  "$$",
  "a^2 + b^2",
  "$$",
  "---",
  "Last words",
].join("\n");

describe("blocks", () => {
  it("reads every kind", () => {
    expect(blocks(LONG).map((block) => block.kind)).toEqual([
      "paragraph", "heading", "list", "table", "quote", "code", "equation", "rule", "paragraph",
    ]);
  });

  it("a list keeps its items over a blank line and its nested list inside", () => {
    const list = blocks(LONG).find((block) => block.kind === "list");
    expect(list?.kind === "list" && list.items.map((item) => item.blocks.map((block) => block.kind))).toEqual([
      ["paragraph"], ["paragraph", "list"], ["paragraph"],
    ]);
  });

  it("a table knows its cells, alignment and the places they stand at", () => {
    const table = blocks(LONG).find((block) => block.kind === "table");
    if (table?.kind !== "table") throw new Error("no table");
    expect(table.align).toEqual(["start", "end"]);
    const cell = table.rows[0]?.[1];
    expect(cell?.text).toBe("14.2 [3]");
    expect(LONG.slice(cell?.lines[0]?.at)).toMatch(/^14\.2 \[3\]/);
    expect(table.rows[1]?.[1]?.text).toBe("15 \\| 16");
  });

  it("an unclosed fence runs to the end", () => {
    expect(blocks("```\na\n\nb")[0]).toMatchObject({ kind: "code", text: "a\n\nb" });
  });

  it("dashes under a line are a rule and no heading; a minus inside a paragraph is text", () => {
    expect(blocks("a\n---\nb").map((block) => block.kind)).toEqual(["paragraph", "rule", "paragraph"]);
    expect(blocks("5\n2019. That year")).toHaveLength(1);
  });
});

describe("signs by the thousand", () => {
  const depthOf = (all: readonly Block[]): number =>
    Math.max(0, ...all.map((block) => (block.kind === "quote" ? 1 + depthOf(block.blocks) : block.kind === "list" ? 1 + Math.max(...block.items.map((item) => depthOf(item.blocks))) : 0)));

  it.each([["> ", 3000], ["- ", 2000], [">", 9000], ["1. ", 2000], ["> - ", 2000], ["* ", 2000]])("%s × %d stay shallow and lose no word", (sign, times) => {
    const found = blocks(`${sign.repeat(times)}word`);
    expect(depthOf(found)).toBeLessThanOrEqual(12);
    expect(JSON.stringify(found)).toContain("word");
  });
});

describe("emphasis by the thousand", () => {
  const depthOf = (all: readonly Inline[]): number => Math.max(0, ...all.map((node) => ("children" in node ? 1 + depthOf(node.children) : 0)));

  it.each(["*a ".repeat(900) + "b*".repeat(900), `${"*".repeat(3000)}a${"*".repeat(3000)}`, "**a _b ".repeat(900)])("stays shallow, closed or growing", (text) => {
    for (const open of [false, true]) {
      const found = inline(text, open);
      expect(depthOf(found)).toBeLessThanOrEqual(6);
      expect(plain(found)).toContain("a");
    }
  });
});

describe("growing blocks", () => {
  it("every prefix reads as if it were read whole, whatever the pieces", () => {
    for (const step of [1, 3, 7, 40]) {
      const growing = new GrowingBlocks();
      for (let end = step; end < LONG.length + step; end += step) {
        const text = LONG.slice(0, end);
        expect(growing.read(text)).toEqual(blocks(text));
      }
    }
  });

  it("a finished block stays the same object", () => {
    const growing = new GrowingBlocks();
    const first = growing.read("one\n\ntwo\n\nthree")[0];
    expect(growing.read("one\n\ntwo\n\nthree and more\n\nfour")[0]).toBe(first);
  });

  it("a finished list item stays the same object while the list grows", () => {
    const growing = new GrowingBlocks();
    const before = growing.read("- a\n- b")[0];
    const after = growing.read("- a\n- b and\n- c")[0];
    if (before?.kind !== "list" || after?.kind !== "list") throw new Error("no list");
    expect(after.items[0]).toBe(before.items[0]);
    expect(after.items).toHaveLength(3);
  });

  it("another text than a longer one is read anew", () => {
    const growing = new GrowingBlocks();
    growing.read("one\n\ntwo");
    expect(growing.read("# other")).toEqual(blocks("# other"));
  });
});

describe("inline", () => {
  it.each([
    ["**bold** and *it* and ***both***", "<strong>bold</strong> and <em>it</em> and <em><strong>both</strong></em>"],
    ["a * b * c and snake_case_name", "a * b * c and snake_case_name"],
    ["`code [1] **x**` [1]", "<code>code [1] **x**</code> {1}"],
    ["seen [1, 2] and [3][4]", "seen {1}{2} and {3}{4}"],
    ["x[0] and [2024 report] and [0, 1]", "x[0] and [2024 report] and [0, 1]"],
    ["[words](javascript:alert(1)) ![pic](http://evil/x.png)", "words pic"],
    ["<script>alert(1)</script> <img src=x>", "<script>alert(1)</script> <img src=x>"],
    ["https://evil.example/x", "https://evil.example/x"],
    ["\\*not\\* \\[1\\]", "*not* [1]"],
    ["line one\nline two", "line one\nline two"],
    ["costs $5 and $6, but $a+b$ counts", "costs $5 and $6, but <math>a+b</math> counts"],
    ["\\(x^2\\)", "<math>x^2</math>"],
    ["**a [1]**.", "<strong>a {1}</strong>."],
    ["an unclosed `tick", "an unclosed `tick"],
  ])("%s", (text, expected) => {
    expect(plain(inline(text))).toBe(expected);
  });

  it("while text grows an opened emphasis is shown closed", () => {
    expect(plain(inline("so **bold wor", true))).toBe("so <strong>bold wor</strong>");
    expect(plain(inline("so **", true))).toBe("so ");
    expect(plain(inline("so **bold wor"))).toBe("so **bold wor");
  });

  it("every text node is a slice of the answer at its start", () => {
    const walk = (nodes: readonly Inline[]): void => {
      for (const node of nodes) {
        if (node.kind === "strong" || node.kind === "em") walk(node.children);
        else if (node.kind === "text") expect(LONG.slice(node.start, node.start + node.value.length)).toBe(node.value);
        else if (node.kind === "mark") expect(LONG.slice(node.start)).toMatch(/^\[\d/);
      }
    };
    const visit = (all: readonly Block[]): void => {
      for (const block of all) {
        if (block.kind === "paragraph" || block.kind === "heading") walk(parseInline(block.content));
        if (block.kind === "list") block.items.forEach((item) => visit(item.blocks));
        if (block.kind === "quote") visit(block.blocks);
      }
    };
    visit(blocks(LONG));
  });
});
