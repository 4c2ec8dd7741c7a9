import { beforeAll, describe, expect, it } from "vitest";
import { because, length, measure, outcome, ranks, told } from "@/features/chat/lib/why";
import type { Why, WhyCandidate } from "@/shared/api/types";
import { setLanguage, t } from "@/shared/i18n/i18n";

beforeAll(() => setLanguage("en"));

const candidate = (fields: Partial<WhyCandidate>): WhyCandidate => ({
  chunk_id: "a", source_id: "s", source_title: "Lake", kind: "markdown", reading_id: "r", passage: 0, start: 0, end: 9, page: null, heading: null, text: "The lake.",
  words_rank: null, meaning_rank: null, similarity: null, fused_rank: null, kept: false, why: "Left out: in English.", reason: null, needed: null, idf_share: null, words_score: null, fused_score: null, pool: null, ...fields,
});
const why = (candidates: WhyCandidate[], fields: Partial<Why> = {}): Why => ({
  question: "?", candidates, degraded: [], prompt: null, language: null, words: [], scope: null, mode: null, recipe: null, model: null, pools: [], near_misses: [], floor: 0.3, k: 8, prompt_hash: null, ...fields,
});

describe("the order of what was looked at", () => {
  const rows = ["a", "b", "c"].map((chunk_id) => candidate({ chunk_id }));

  it("is what was given, then what was left out", () => {
    const given = candidate({ chunk_id: "k", kept: true });
    const found = told(why([...rows, given], { near_misses: ["b"] }));
    expect([found.kept, found.near, found.dropped]).toEqual([[given], [], rows]);
  });

  it("begins with the closest ones when nothing was given", () => {
    const found = told(why(rows, { near_misses: ["c", "gone", "a"] }));
    expect([found.near.map((one) => one.chunk_id), found.dropped.map((one) => one.chunk_id)]).toEqual([["c", "a"], ["b"]]);
  });

  it("holds for answers from before the closest ones were named", () => {
    expect(told(why(rows)).dropped).toEqual(rows);
  });
});

describe("the words for why", () => {
  it("name the nearness and what was needed", () => {
    const far = candidate({ reason: "under_floor", similarity: 0.214 });
    expect(outcome(far, t)).toBe("Left out: too far in meaning");
    expect(because(far, why([far]), t)).toBe("In meaning it is 0.21 near the question; 0.30 is needed.");
  });

  it("name the share of the words and what was needed", () => {
    const few = candidate({ reason: "few_words", idf_share: 0.414, needed: 0.6 });
    expect(because(few, why([few]), t)).toMatch(/^It holds 41 % .* 60 % is needed/);
  });

  it("are the server's own where this page does not know the code", () => {
    const strange = candidate({ reason: "from_the_future" as WhyCandidate["reason"] });
    expect([outcome(strange, t), because(strange, why([strange]), t)]).toEqual(["Left out", "Left out: in English."]);
    expect(because(candidate({}), why([]), t)).toBe("Left out: in English.");
  });

  it("name only the places that a passage has", () => {
    expect(ranks(candidate({ words_rank: 2, fused_rank: 5 }), t)).toBe("by words #2 · together #5");
  });

  it("keep a bar within its track, and a dash where nothing was measured", () => {
    expect([length(-0.1), length(1.2), length(null), measure(null), measure(0.5)]).toEqual([0, 1, 0, "–", "0.50"]);
  });
});
