import { beforeAll, expect, it } from "vitest";
import { cleanAddress, testWords } from "@/features/models/lib/roles";
import { setLanguage } from "@/shared/i18n/i18n";

beforeAll(() => setLanguage("en"));
const measured = { ok: true, seconds: 0.8, words_per_s: 34.2, cites_right: 3, cites_of: 3, error: null, at: null, dimension: null, reads_right: null, reads_of: null, rebuild_estimate: null };

it("a test is told in numbers", () => {
  expect(testWords(measured)).toBe("Answers in 0.8 s · 34 words a second · cites rightly 3 of 3");
});

it("only what was measured is told", () => {
  expect(testWords({ ...measured, words_per_s: null, cites_right: null, cites_of: null, dimension: 256 })).toBe("Answers in 0.8 s · 256 numbers a passage");
});

it("a picture reader is told by the words it read", () => {
  const seen = { ...measured, seconds: 2, words_per_s: null, cites_right: null, cites_of: null, reads_right: 7, reads_of: 7 };
  expect(testWords(seen)).toBe("Answers in 2 s · read 7 of 7 words of a picture");
});

it("a failed test says why", () => {
  expect(testWords({ ...measured, ok: false, error: { code: "x", message: "It does not know the model." } })).toBe("Test failed: It does not know the model.");
});

it("an address loses its last slash, and what is none is refused", () => {
  expect(cleanAddress(" http://127.0.0.1:11434/v1/ ")).toBe("http://127.0.0.1:11434/v1");
  expect([cleanAddress("127.0.0.1:11434"), cleanAddress("http://"), cleanAddress("ftp://a.org")]).toEqual([null, null, null]);
});
