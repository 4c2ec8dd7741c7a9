import { expect, it } from "vitest";
import { asShownText } from "./quote";

it.each([
  ["# Lake report\n\n## Depth\n\nThe lake is deep.\n", true, "Lake report · Depth · The lake is deep. "],
  ["## Depth", true, "Depth"],
  ["deep.\n\n## Fish\nPike live there.", false, "deep. Fish · Pike live there."],
  ["# of fish\nin the lake", false, "# of fish in the lake"],
  ["Room #4", true, "Room #4"],
  ["T-1 | fan\u00ad\n | loud\nT-2 | port  | down", true, "T-1 | fan\n | loud\nT-2 | port | down"],
  ["a line of prose\nand | one\nsign\nin\nit", true, "a line of prose and | one sign in it"],
])("a heading is shown without its sign, apart from the words below it, and rows keep their lines: %s", (text, beginsLine, shown) => {
  expect(asShownText(text, beginsLine)).toBe(shown);
});
