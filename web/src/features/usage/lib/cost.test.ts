import { describe, expect, it } from "vitest";
import { costOf } from "./cost";

describe("what calls cost", () => {
  it("is told as it is, as a lower bound beside unknown ones, and never as 0 where nothing is known", () => {
    expect([costOf("0.5", 0, "EUR", "–"), costOf("0", 3, "EUR", "–"), costOf(null, 3, "EUR", "–")]).toEqual(["€0.50", "≥ €0.00", "–"]);
  });
});
