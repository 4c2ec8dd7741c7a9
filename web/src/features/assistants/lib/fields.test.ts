import { describe, expect, it } from "vitest";
import { changeOf, merged, plainWords, sectionsOf, withValue, type Schema, type Values } from "./fields";
import { originOf, publicSnippet, serverSnippet, SERVERS } from "./snippet";

const SCHEMA: Schema = {
  properties: { answer: { $ref: "#/$defs/Answering" }, wording: { enum: ["a", "b"] }, routing: { anyOf: [{ $ref: "#/$defs/Routing" }, { type: "null" }] } },
  $defs: {
    Answering: {
      description: "How it answers.",
      properties: {
        mode: { enum: ["workflow", "agent"], description: "Who looks up." },
        hides: { type: "boolean" },
        max_tokens: { anyOf: [{ type: "integer", minimum: 1, maximum: 9 }, { type: "null" }], description: "Longest." },
        voice: { type: "string" },
        pinned: { type: "array", items: { type: "string" } },
      },
    },
    Routing: { properties: { rules: { type: "array" } } },
  },
};
const DEFAULTS: Values = { answer: { mode: "workflow", hides: false, max_tokens: null, voice: "", pinned: [] }, routing: { rules: [] } };

describe("the fields of a profile", () => {
  it("each has the control of its kind, with bounds and whether it may be empty", () => {
    const [answer] = sectionsOf(SCHEMA);
    expect(answer?.fields.map((field) => field.control)).toEqual(["choice", "switch", "number", "words", "json"]);
    expect(answer?.fields[2]).toMatchObject({ canBeNull: true, isInteger: true, minimum: 1, maximum: 9, description: "Longest." });
    expect(sectionsOf(SCHEMA).map((section) => section.name)).toEqual(["answer", "routing"]);
  });

  it("only what changed is sent, and what is the profile's own again is taken back", () => {
    const before = merged(DEFAULTS, { answer: { hides: true, max_tokens: 5 } });
    const [answer] = sectionsOf(SCHEMA);
    const [mode, hides] = answer?.fields ?? [];
    if (!mode || !hides) throw new Error("no fields");
    const after = withValue(withValue(before, mode, "agent"), hides, false);
    expect(changeOf(before, after, DEFAULTS)).toEqual({ answer: { mode: "agent", hides: null } });
    expect(changeOf(before, before, DEFAULTS)).toEqual({});
  });
});

describe("the words of a field", () => {
  it.each([
    ["Limits on asking of this holder's own, beside those of the installation. Conflict C25; S0-78 to S0-81. Null or 0: none of its own.", "Limits on asking of this holder's own, beside those of the installation. Null or 0: none of its own."],
    ["Tools used for one answer; further ones are refused (S0-46).", "Tools used for one answer; further ones are refused."],
    ["A first-party list of products. Source: S4-08, S4-25.", "A first-party list of products."],
    ["A reader who leaves: the answer goes on, or is stopped (B49).", "A reader who leaves: the answer goes on, or is stopped."],
    ["Sections fit (S2-33, S2-34); numbers of (profile, space).", "Sections fit; numbers of (profile, space)."],
  ])("%s is told without its references", (text, told) => expect(plainWords(text)).toBe(told));
});

describe("what a site embeds", () => {
  it("a name cannot leave its attribute", () => {
    expect(publicSnippet("https://a.example", '"><script>')).toBe('<script src="https://a.example/public/widget.js" data-assistant="&#34;&#62;&#60;script&#62;" async></script>');
  });

  it("the server's part asks for a token of this assistant and holds no secret", () => {
    for (const server of SERVERS) expect(serverSnippet(server, "https://a.example", "id-1")).toContain("https://a.example/api/v1/assistants/id-1/token");
  });

  it("a site is named by its beginning alone", () => {
    expect(originOf("https://help.example.org/path")).toBe("https://help.example.org");
    expect(originOf("help.example.org")).toBeNull();
    expect(originOf("javascript:alert(1)")).toBeNull();
  });
});
