import { describe, expect, it } from "vitest";
import { inertMarkdown } from "./inert";

describe("Markdown for other programs", () => {
  it.each([
    ["![x](http://evil/?q=1) and [go](javascript:alert(1))", "!\\[x](http:\\//evil/?q=1) and \\[go](javascript:alert(1))"],
    ["<img src=x> https://evil.example www.evil.example", "\\<img src=x> https:\\//evil.example www\\.evil.example"],
    ["[^9]: a footnote that is not ours", "\\[^9]: a footnote that is not ours"],
    ["a slash \\[that escapes\\] and \\\\[ one that does not", "a slash \\[that escapes\\] and \\\\\\[ one that does not"],
    ["code `x[0] <b>` stays", "code `x[0] <b>` stays"],
    ["an open ` tick\n`<img src=x>` here", "an open ` tick\n`\\<img src=x>` here"],
    ["| a ` b | c ` <i> |", "| a ` b | c ` \\<i> |"],
    ["``two`` <b>", "``two`` \\<b>"],
  ])("%s", (text, expected) => expect(inertMarkdown(text)).toBe(expected));

  it("a fence at the margin keeps its code, an open one is closed, an indented one is not trusted", () => {
    expect(inertMarkdown("```py\nx[0] = 1\n```\n[a]")).toBe("```py\nx[0] = 1\n```\n\\[a]");
    expect(inertMarkdown("~~~\n<b>")).toBe("~~~\n<b>\n~~~");
    expect(inertMarkdown("1. a\n   ```\n<img>")).toBe("1. a\n   ```\n\\<img>");
  });

  it("our own marks take their place", () => {
    expect(inertMarkdown("It is so [1] and [2].", new Map([[9, { end: 12, as: "[^1]" }]]))).toBe("It is so [^1] and \\[2].");
  });
});
