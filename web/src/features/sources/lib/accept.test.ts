import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ACCEPT } from "@/features/sources/lib/accept";

it("the file chooser offers every kind of file that the server reads", () => {
  const kinds = readFileSync("../libs/core/sourcebook_core/kinds.py", "utf8");
  const named = /EXTENSIONS: dict\[str, str\] = \{(.*?)\n\}/s.exec(kinds)?.[1] ?? "";
  const endings = [...named.matchAll(/: "(\w+)"/g)].map((found) => found[1]);
  expect(endings.length).toBeGreaterThan(25);
  const offered = ACCEPT.split(",");
  expect(endings.filter((ending) => !offered.includes(`.${ending}`))).toEqual([]);
});
