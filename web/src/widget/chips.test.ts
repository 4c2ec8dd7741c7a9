import { describe, expect, it } from "vitest";
import type { Ended } from "./contract";
import { chipsOf } from "./extras";
import { LANGUAGES, sayIn } from "./words";

const told = (route: Record<string, string>, language: string): (string | null)[] => {
  const [list] = chipsOf({ route, coverage: "low" } as unknown as Ended, sayIn(language));
  return [...(list?.children ?? [])].map((one) => one.textContent);
};

describe("the chips of a product's answer", () => {
  const ROUTE = { answer_mode: "hybrid", intent: "surface_chemistry", technology: "ring resonance" };

  it("are words of the language", () => {
    expect(told(ROUTE, "de")).toEqual(["aus Produktseiten und Forschung", "Oberflächenchemie", "Technik: ring resonance", "Belege: wenige"]);
    for (const language of Object.keys(LANGUAGES)) expect(told(ROUTE, language).join()).not.toContain("_");
  });

  it("of rules of one's own are their codes as words, and say the same once", () => {
    expect(told({ answer_mode: "spare_parts", intent: "spare_parts" }, "en")).toEqual(["spare parts", "Evidence: low"]);
    expect(told({ answer_mode: "science", intent: "science" }, "en")).toEqual(["from the science behind it", "Evidence: low"]);
  });

  it("are not there where nothing was routed", () => expect(chipsOf({ route: { answer_mode: "notebook", intent: "question" } } as unknown as Ended, sayIn("en"))).toEqual([]));
});
