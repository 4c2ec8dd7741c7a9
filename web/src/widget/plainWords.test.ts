import { expect, it } from "vitest";
import { plainWords } from "./plainWords";

it("headings, tables, lists and emphasis are told as words", () => {
  const text = "# Crane log\n\n| Berth | Depth |\n| :-- | --: |\n| 3 | **4 m** |\n\n- see [the plan](https://a.example)\n> `quay`";
  expect(plainWords(text)).toBe("Crane log\nBerth · Depth\n3 · 4 m\n• see the plan\nquay");
});

it("an excerpt that is cut amid a table has no signs of it left", () => {
  expect(plainWords("h | Depth |\n| 3 | 4")).toBe("h · Depth\n3 · 4");
});

it("signs that are words stay", () => {
  expect(plainWords("2 * 3 - 1, snake_case, C# and a|b")).toBe("2 * 3 - 1, snake_case, C# and a|b");
});
