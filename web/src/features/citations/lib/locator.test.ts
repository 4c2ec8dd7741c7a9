import { beforeAll, describe, expect, it } from "vitest";
import { setLanguage, t } from "@/shared/i18n/i18n";
import { clock, locator, type Place } from "./locator";

beforeAll(() => setLanguage("en"));

describe("where a citation stands, in words", () => {
  it.each<[string, Place]>([
    ["Page 17 · Measures › Speed limits", { kind: "pdf", page: 17, heading: "Measures > Speed limits" }],
    ["Page 2 · Depth", { kind: "pdf", page: 2, source_title: "Lake report", heading: "Lake report > Depth" }],
    ["", { kind: "text", source_title: "Lake report", heading: "Lake report" }],
    ["Slide 3 · Results", { kind: "office", page: 3, heading: "Results" }],
    ["Picture", { kind: "image", page: null }],
    ["Picture 2", { kind: "image", page: 2 }],
    ["Sheet 2, row 41", { kind: "office", sheet: "Sheet 2", rows: [41, 41] }],
    ["Sheet 2, rows 4100–4712", { kind: "office", sheet: "Sheet 2", rows: [4100, 4712] }],
    ["Row 17", { kind: "office", rows: [17, 17] }],
    ["12:40", { kind: "audio", start_ms: 760_900 }],
    ["0:00", { kind: "audio", start_ms: 0 }],
    ["", { kind: "text" }],
    ["Depth · Local copy", { kind: "markdown", heading: "Depth", layer: "local" }],
    ["", { kind: "markdown", layer: "public" }],
    ["Your note · Depth", { kind: "note", heading: "Depth" }],
  ])("%s", (words, place) => {
    expect(locator(place, t)).toBe(words);
  });

  it("an hour and more has hours", () => {
    expect(clock(3_760_000)).toBe("1:02:40");
    expect(clock(-5)).toBe("0:00");
  });
});
