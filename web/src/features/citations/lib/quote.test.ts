import { expect, it } from "vitest";
import { asShownText } from "./quote";

it.each([
  ["# Lake report\n\n## Depth\n\nThe lake is deep.\n", true, "Lake report · Depth · The lake is deep. "],
  ["## Depth", true, "Depth"],
  ["deep.\n\n## Fish\nPike live there.", false, "deep. Fish · Pike live there."],
  ["# of fish\nin the lake", false, "# of fish in the lake"],
  ["Room #4", true, "Room #4"],
])("a heading is shown without its sign, apart from the words below it: %s", (text, beginsLine, shown) => {
  expect(asShownText(text, beginsLine)).toBe(shown);
});
