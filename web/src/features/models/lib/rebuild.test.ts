import { beforeAll, expect, it } from "vitest";
import { estimateWords, floorLines, floorWords, progressWords, stillUsed } from "@/features/models/lib/rebuild";
import type { Floor, ModelRole, Rebuild } from "@/shared/api/types";
import { setLanguage } from "@/shared/i18n/i18n";

beforeAll(() => setLanguage("en"));

const rebuild: Rebuild = { state: "building", readings: 3, chunks: 3400, done: 1200, seconds_left: 480, cost: null, error: null, job_id: null };
const floor: Floor = { profile: "notebook", space: { id: "s", model: "m", state: "in_use" }, floor: 0.3, weak_similarity: null, clear_lead: null, origin: "shipped", measured_at: null };

it("an estimate says how much, how long and what it costs before anything is changed", () => {
  expect(estimateWords({ chunks: 3400, seconds: 720, cost: "0.12", currency: "EUR" })).toBe(
    "Taking this model: 3,400 passages, about 12 min. It costs about €0.12. Answers go on with the old one until then.",
  );
});

it("no price is not free, and free is not unknown", () => {
  const words = (cost: string | null) => estimateWords({ chunks: 1, seconds: 1, cost, currency: null });
  expect([words(null).includes("not known"), words("0").includes("costs nothing")]).toEqual([true, true]);
});

it("progress says how far it is, and how long still once that is known", () => {
  expect(progressWords(rebuild)).toBe("1,200 of 3,400 passages prepared · about 8 min");
  expect(progressWords({ ...rebuild, seconds_left: null })).toBe("1,200 of 3,400 passages prepared");
  expect(progressWords({ ...rebuild, state: "waiting", done: 0 })).toBe("Waits to begin: 3,400 passages");
});

it("a floor says where it comes from", () => {
  expect(floorWords(floor, null)).toBe("Nearness needed: 0.30, as shipped with this model");
  expect(floorWords({ ...floor, origin: "environment" }, "SOURCEBOOK_FLOOR")).toBe("Nearness needed: 0.30, set by SOURCEBOOK_FLOOR");
  expect(floorWords({ ...floor, floor: null, origin: null }, null)).toMatch(/not known yet/);
});

it("floors of the model in use stand in one line while they are the same", () => {
  const docs: Floor = { ...floor, profile: "docs" };
  const building: Floor = { ...floor, space: { ...floor.space, state: "building" }, floor: 0.9 };
  expect(floorLines({ items: [floor, docs, building], locked_by: null })).toEqual(["Nearness needed: 0.30, as shipped with this model"]);
  expect(floorLines({ items: [floor, { ...docs, floor: 0.5 }], locked_by: null }).map((line) => line.slice(0, 28))).toEqual(["notebook: Nearness needed: 0.", "docs: Nearness needed: 0.50,"].map((line) => line.slice(0, 28)));
});

it("a chosen model that nothing is done for is told, one that is being prepared is not", () => {
  const item = { role: "embedding", model: "new", rebuild: null } as ModelRole;
  const floors = { items: [floor], locked_by: null };
  expect([stillUsed(item, floors), stillUsed({ ...item, rebuild }, floors), stillUsed({ ...item, model: "m" }, floors)]).toEqual(["m", null, null]);
});
