import { beforeAll, expect, it } from "vitest";
import { setLanguage, t } from "@/shared/i18n/i18n";
import { costOf, eachCost } from "./cost";

beforeAll(() => setLanguage("en"));

it("the estimate is what the answer above cost, once for each source", () => {
  const known = costOf([{ cost: "0.0100" }, { cost: "0.0020" }], "EUR");
  expect(eachCost(known, 18, t)).toBe("About 36 calls to models. About €0.22, if each costs what the answer above did.");
});

it("one call of unknown cost makes it unknown, and nothing is not unknown", () => {
  expect(eachCost(costOf([{ cost: "0.01" }, { cost: null }], "EUR"), 2, t)).toBe("About 4 calls to models. What they cost is not known.");
  expect(eachCost(costOf([{ cost: "0" }], "EUR"), 1, t)).toContain("cost nothing");
  expect(eachCost(null, 3, t)).toBe("What they cost is not known.");
});
