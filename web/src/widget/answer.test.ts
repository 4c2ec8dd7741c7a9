import { describe, expect, it } from "vitest";
import { AnswerWriter } from "./answer";
import { colourOf, contrast, DEFAULT_COLOUR, inkOn, STANDS_OUT } from "./colour";
import { el } from "./dom";
import type { Ended } from "./contract";
import { sourcesOf, webAddress } from "./extras";
import { sheetOf } from "./style";
import { ticketIn } from "./tickets";
import { languageOf, LANGUAGES, sayIn } from "./words";

function shown(...texts: string[]): HTMLElement {
  const into = el("div");
  const writer = new AnswerWriter(into);
  texts.forEach((text, at) => writer.write(text, { mark: (n) => el("button", {}, String(n)), words: (words) => [words] }, at < texts.length - 1));
  return into;
}

/** The elements and words as markup without attributes, built by hand. */
const markup = (node: Node): string =>
  [...node.childNodes].map((one) => (one instanceof Element ? (one.localName === "br" ? "<br>" : `<${one.localName}>${markup(one)}</${one.localName}>`) : (one.textContent ?? ""))).join("");

const names = (element: HTMLElement): string[] => [...element.querySelectorAll("*")].map((one) => one.localName);

describe("the text of an answer in the widget", () => {
  it("paragraphs, lists, bold, italic, code, line breaks and marks are all there is", () => {
    expect(markup(shown("One **two** *three* `four`\nfive [1].\n\n- six\n- seven"))).toBe(
      "<p>One <strong>two</strong> <em>three</em> <code>four</code><br>five <button>1</button>.</p><ul><li><p>six</p></li><li><p>seven</p></li></ul>",
    );
  });

  it.each([
    ["<script>alert(1)</script>", "<script>alert(1)</script>"],
    ["![x](http://evil/?q=1)", "x"],
    ["[t](javascript:alert(1))", "t"],
    ["# Head", "Head"],
    ["http://evil.example", "http://evil.example"],
    ["| a | b |\n|---|---|\n| 1 | 2 |", "a · b1 · 2"],
    ["```html\n<img src=x>\n```", "<img src=x>"],
  ])("%s becomes its words", (text, words) => {
    const made = shown(text);
    expect(made.textContent).toBe(words);
    expect(names(made).every((name) => ["p", "code", "br"].includes(name))).toBe(true);
  });

  it("a growing text ends as if it had come at once", () => {
    const whole = "First line.\n\n1. one\n2. two [2]\n\nLast **bold** word.";
    const steps = [...whole].map((_, at) => whole.slice(0, at + 1));
    expect(markup(shown(...steps, whole))).toBe(markup(shown(whole)));
  });
});

describe("what the widget takes from others", () => {
  it("only web addresses become links", () => {
    expect(webAddress("https://help.example.org/a#b")).toBe("https://help.example.org/a#b");
    for (const bad of ["javascript:alert(1)", "data:text/html,x", "//evil", "https://user:pw@evil.example/", "/a", null]) expect(webAddress(bad)).toBeNull();
  });

  it("a colour that is none cannot write rules", () => {
    expect(colourOf("#1F5FBF")).toBe("#1f5fbf");
    expect(colourOf("red;} * {background: url(http://evil)")).toBeNull();
    expect([...sheetOf("url(http://evil)").cssRules].some((rule) => rule.cssText.includes("evil"))).toBe(false);
  });

  it("the default colour stands out from light and dark pages, and the sign from it", () => {
    expect(contrast("#ffffff", DEFAULT_COLOUR)).toBeGreaterThan(STANDS_OUT);
    expect(contrast("#15171b", DEFAULT_COLOUR)).toBeGreaterThan(STANDS_OUT);
    expect(contrast(inkOn("#ffe8a3"), "#ffe8a3")).toBeGreaterThan(4.5);
  });

  it("a token of the host may come alone or with its time", () => {
    expect(ticketIn("abc")).toEqual({ token: "abc", until: Infinity });
    expect(ticketIn({ token: "abc", expires_in: 900 }, 1000)).toEqual({ token: "abc", until: 841_000 });
    expect(ticketIn({ error: "no" })).toBeNull();
    expect(ticketIn(null)).toBeNull();
  });
});

describe("the widget's words", () => {
  it("every language has every word with the same placeholders", () => {
    const places = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort();
    const { en, ...others } = LANGUAGES;
    for (const words of Object.values(others)) {
      expect(Object.keys(words)).toEqual(Object.keys(en ?? {}));
      for (const [word, text] of Object.entries(words)) expect([word, places(text)]).toEqual([word, places(en?.[word as keyof typeof en] ?? "")]);
    }
  });

  it("the assistant's language is taken before the page's, and English for what is not there", () => {
    expect(languageOf([null, "de-AT", "cs"])).toBe("de");
    expect(languageOf(["xx", undefined])).toBe("en");
    expect(sayIn("cs")("close")).toBe("Zavřít");
  });
});

it("a source that was deleted for good stands under an answer as removed, without a word of it", () => {
  const ended = { sources: [{ n: 1, title: "", heading: null }, { n: 2, title: "Ferry" }] } as unknown as Ended;
  expect(sourcesOf(ended, sayIn("en"))[0]?.textContent).toBe("Sources1 · Source removed2 · Ferry");
});
