import { describe, expect, it } from "vitest";
import { codePointLength, codePointOffset, offsetMap, sliceByCodePoints, utf16Index } from "@/shared/lib/codepoints";

const TEXTS = ["", "plain", "🦊 fox", "a🦊b🦊🦊c", "é as e + accent: e\u0301", "👩‍👩‍👧 family", "\ud800 lone", "🦊"];

describe("offsets", () => {
  it("a slice by code points is what Array.from gives", () => {
    for (const text of TEXTS) {
      const points = Array.from(text);
      for (let start = 0; start <= points.length; start += 1) {
        for (let end = start; end <= points.length + 1; end += 1) {
          expect(sliceByCodePoints(text, start, end)).toBe(points.slice(start, end).join(""));
        }
      }
    }
  });

  it("converting there and back is the identity", () => {
    for (const text of TEXTS) {
      for (let at = 0; at <= codePointLength(text); at += 1) expect(codePointOffset(text, utf16Index(text, at))).toBe(at);
    }
  });

  it("the map for long texts agrees with the plain functions", () => {
    for (const text of TEXTS) {
      const map = offsetMap(text);
      for (let at = 0; at <= text.length + 2; at += 1) {
        expect(map.toUtf16(at)).toBe(utf16Index(text, at));
        expect(map.toPoints(at)).toBe(codePointOffset(text, at));
      }
    }
  });

  it("an index inside a pair counts the pair as not yet passed", () => {
    expect(codePointOffset("🦊", 1)).toBe(0);
  });
});
