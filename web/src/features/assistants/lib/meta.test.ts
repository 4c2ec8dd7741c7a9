import { expect, it } from "vitest";
import { changedMeta, metaText } from "@/features/assistants/lib/meta";

const same = { evidence: null, technology: null, claim: null, transfer: null };

it("what is not asked for stays, other fields of meta too", () => {
  const meta = { url: "https://a.example", evidence: "product", technology: ["ring", "prism"] };
  expect(changedMeta(meta, { ...same, claim: "design" })).toEqual({ ...meta, claim: "design" });
  expect(changedMeta(meta, { ...same, technology: "ring, prism" })).toEqual(meta);
});

it("one value is text, several are a list, none takes the field away", () => {
  expect(changedMeta({}, { ...same, technology: " ring " })).toEqual({ technology: "ring" });
  expect(changedMeta({}, { ...same, technology: "ring, prism," })).toEqual({ technology: ["ring", "prism"] });
  expect(changedMeta({ evidence: "product" }, { ...same, evidence: "" })).toEqual({});
});

it("a field reads as text, whatever a corpus put there", () => {
  expect([metaText({ technology: ["a", 2] }, "technology"), metaText({ technology: { a: 1 } }, "technology"), metaText({}, "technology")]).toEqual(["a, 2", "", ""]);
});
