import { describe, expect, it } from "vitest";
import { lastMonths, monthName } from "./months";

describe("months", () => {
  it("go back over a new year, newest first", () => {
    expect(lastMonths(new Date("2026-02-28T23:59:00Z"), 4)).toEqual(["2026-02", "2026-01", "2025-12", "2025-11"]);
  });

  it("are named in the language of the page", () => {
    expect([monthName("2026-11", "en"), monthName("2026-11", "de")]).toEqual(["November 2026", "November 2026"]);
  });
});
