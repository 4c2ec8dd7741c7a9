import { expect, it } from "vitest";
import { matching, type Entry } from "@/app/paletteEntries";

const entry = (name: string): Entry => ({ key: name, name, kind: "", icon: "file", run: () => undefined });
const names = (query: string) => matching(["Health", "Köln: Straßen", "Speed in towns", "Towns and speed"].map(entry), query).map((found) => found.name);

it("every word of the query must be in the name", () => {
  expect(names("speed tow")).toEqual(["Speed in towns", "Towns and speed"]);
  expect(names("speed köln")).toEqual([]);
});

it("names that begin with the query come first", () => {
  expect(names("towns")).toEqual(["Towns and speed", "Speed in towns"]);
});

it("accents and case do not matter", () => {
  expect(names("koln")).toEqual(["Köln: Straßen"]);
});
