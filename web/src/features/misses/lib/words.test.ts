import { beforeAll, expect, it } from "vitest";
import { command, expects, reasonWords } from "@/features/misses/lib/words";
import type { Miss, TestQuestion } from "@/shared/api/types";
import { setLanguage } from "@/shared/i18n/i18n";

beforeAll(() => setLanguage("en"));

const miss = (reasons: Miss["reasons"]): Miss => ({ key: "k", question: "?", language: null, count: 1, people: 1, reasons, examples: [], first_at: "", last_at: "", state: "open", turn_id: null });
const question = (source_ids: string[]): TestQuestion => ({ id: "q", question: "?", language: null, kind: "plain", source_ids, created_at: "" });

it("one reason once needs no number, several are counted, the most frequent first", () => {
  expect(reasonWords(miss({ nothing_found: 1 }))).toEqual(["Nothing found"]);
  expect(reasonWords(miss({ thumbs_down: 1, nothing_found: 3 }))).toEqual(["Nothing found (3)", "Thumbs down (1)"]);
});

it("a test question says which sources it expects, those that are gone as well", () => {
  const titles = new Map([["a", "Lake"]]);
  expect(expects(question(["a", "b"]), titles)).toBe("Lake · 1 source that is no longer here");
  expect(expects(question([]), titles)).toBe("Nothing should be found");
});

it("the command names the notebook by what the shell cannot misread", () => {
  expect(command("1f-2e")).toBe("sourcebook eval run --notebook 1f-2e");
});
