import { describe, expect, it } from "vitest";
import { ApiError } from "@/shared/api/client";
import { declaredIn, EXAMPLE, refusedPart, written } from "./hosts";
import { offsetOf, placeAt, placesIn } from "./jsonPlaces";

const lineOf = (text: string, path: string): number => placeAt(text, offsetOf(placesIn(text), path)).line;
const TEXT = JSON.stringify(EXAMPLE, null, 2);

describe("the place of a part of JSON", () => {
  it.each([
    ["0.base_url", '"base_url"'],
    ["0.reads.0.path", '"path"'],
    ["0.reads.0.params.project_id.type", '"project_id"'],
    ["0.seconds", "{"],
    ["", "["],
  ])("%s is found, or what is around it", (path, begins) => {
    const line = TEXT.split("\n")[lineOf(TEXT, path) - 1] ?? "";
    expect(line.trim().startsWith(begins)).toBe(true);
  });

  it.each(["[]", '{"a": [1, -2.5e3, true, null, "é\\u00e9\\"" ]}', " 1 ", '[{"a":{}}, []]'])("%s is JSON", (text) => {
    expect(placesIn(text).fault).toBeNull();
    JSON.parse(text);
  });

  it.each([
    ["[1,]", 3],
    ['[{"a": 1 "b"}]', 9],
    ["", 0],
    ["[] x", 3],
    ["[01]", 2],
    ['["a\n"]', 1],
  ])("%s stops being JSON at %i", (text, at) => {
    expect(placesIn(text).fault).toBe(at);
    expect(() => JSON.parse(text) as unknown).toThrow();
  });

  it("a list that never closes is told without end of stack", () => expect(placesIn("[".repeat(10_000)).fault).not.toBeNull());

  it("lines and characters count from 1", () => expect(placeAt("[\n  1,\n  x]", 9)).toEqual({ line: 3, column: 3 }));
});

describe("host declarations", () => {
  it("a refusal names the part, and another refusal none", () => {
    const refused = (message: string, code = "invalid_field"): ApiError => new ApiError({ code, message, status: 422 });
    expect(refusedPart(refused("A field is not right: hosts.0.reads.1.path: it must begin with /."))).toEqual({ path: "0.reads.1.path", why: "0.reads.1.path: it must begin with /." });
    expect(refusedPart(refused("A field is not right: hosts.0.reads.1: `path` must begin with /."))).toMatchObject({ path: "0.reads.1.path" });
    expect(refusedPart(refused("A field is not right: hosts: two have the name a."))).toEqual({ path: "", why: "two have the name a." });
    expect(refusedPart(refused("A field is not right: slug: no."))).toBeNull();
    expect(refusedPart(refused("hosts.0: no", "forbidden"))).toBeNull();
  });

  it("what is read is told, and nothing breaks on what is none", () => {
    const [host] = declaredIn([{ ...EXAMPLE[0], with_token: false, what_if: [{ name: "w", path: "/w", fields: ["x"] }] }]);
    expect(host).toMatchObject({ name: "planner", withToken: false });
    expect(host?.reads).toEqual([
      { name: "Project", address: "https://planner.example.org/api/projects/{project_id}", fields: ["name", "description", "result.value"], isTool: false, isWhatIf: false },
      { name: "w", address: "https://planner.example.org/api/w", fields: ["x"], isTool: true, isWhatIf: true },
    ]);
    expect(declaredIn([null, 1, { reads: "x" }])).toEqual([{ name: "", withToken: true, reads: [] }]);
    expect(declaredIn({})).toEqual([]);
  });

  it("it is written in the order of the documentation, however it was kept", () => {
    expect(written([{ reads: [{ zone: 1, fields: ["b", "a"], path: "/p", name: "r" }], base_url: "u", name: "n" }]).replace(/\s/g, "")).toBe(
      '[{"name":"n","base_url":"u","reads":[{"name":"r","path":"/p","fields":["b","a"],"zone":1}]}]',
    );
  });
});
