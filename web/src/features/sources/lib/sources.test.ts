import { beforeAll, describe, expect, it } from "vitest";
import { isOnlyLinks, linksIn } from "@/features/sources/lib/links";
import { notePace, secondsLeft } from "@/features/sources/lib/pace";
import { remediesOf, remedyOf } from "@/features/sources/lib/reasons";
import { statusLine } from "@/features/sources/lib/status";
import { about } from "@/shared/lib/about";
import { planWords, refusedOf, siteFrom, siteLine, siteName } from "@/features/sources/lib/sites";
import type { Site, Source } from "@/shared/api/types";
import { setLanguage } from "@/shared/i18n/i18n";

const PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation";
const source = (fields: Partial<Source>): Source =>
  ({ id: "s", kind: "pdf", media_type: null, capture: "auto", estimate: null, duration_ms: null, stale: false, status: "ready", searchable: "full", warnings: 0, pages: null, words: null, progress: null, error: null, report: null, meta: {}, cost: null, ...fields }) as Source;

beforeAll(() => setLanguage("en"));

describe("the status line", () => {
  it.each<[string, Partial<Source>]>([
    ["Waiting · 3 before it", { status: "queued", progress: { step: "waiting", done: 0, total: null, before: 3 } }],
    ["Waiting · next", { status: "queued", progress: { step: "waiting", done: 0, total: null, before: 0 } }],
    ["Reading page 12 of 340", { status: "reading", progress: { step: "reading", done: 11, total: 340, before: null } }],
    ["Reading", { status: "reading", kind: "url", progress: { step: "reading", done: 0, total: 1, before: null } }],
    ["Reading slide 3 of 20", { status: "reading", kind: "office", media_type: PPTX, progress: { step: "reading", done: 2, total: 20, before: null } }],
    ["Reading minute 5 of 47", { status: "reading", kind: "audio", progress: { step: "reading", done: 4, total: 47, before: null } }],
    ["34 pages need the picture reader: at most €0.42.", { status: "needs_approval", estimate: { pages: 34, calls: 34, cost: "0.42", currency: "EUR" } }],
    ["34 pages need the picture reader. What they cost is not known.", { status: "needs_approval", estimate: { pages: 34, calls: 34, cost: null, currency: null } }],
    ["Ready · 12:40", { kind: "audio", duration_ms: 760_000, words: 900 }],
    ["Ready · 24 slides", { kind: "office", media_type: PPTX, pages: 24 }],
    ["Ready · 1,200 rows", { kind: "office", media_type: "text/csv", meta: { rows: 1200 }, words: 9 }],
    ["the picture has more pixels than are read here, or takes too long. Save it smaller and add that.", { status: "failed", kind: "image", error: { code: "resource_limit", message: "x" } }],
    ["it is a picture, and no picture reader is connected.", { status: "failed", kind: "image", error: { code: "no_text_layer", message: "x" } }],
    ["Reading · 5,000 rows so far", { status: "reading", kind: "office", media_type: "text/csv", progress: { step: "reading", done: 5000, total: null, before: null } }],
    ["it is locked with a password. Save it without one and add that.", { status: "failed", kind: "office", media_type: PPTX, error: { code: "password_protected", message: "x" } }],
    ["its pages are pictures, and only their text was looked for.", { status: "failed", pages: 2, capture: "text", error: { code: "no_text_layer", message: "x" } }],
    ["this cannot be read here: it is an archive; unpack it or use zip.", { status: "failed", error: { code: "unsupported_kind", message: "a.rar cannot be read here: it is an archive; unpack it or use zip." } }],
    ["Found by words now, by meaning soon", { status: "indexing", searchable: "words", progress: { step: "indexing", done: 0, total: 9, before: null } }],
    ["Ready · 340 pages", { pages: 340 }],
    ["Ready · 1 page", { pages: 1 }],
    ["Ready · 1,240 words", { kind: "text", words: 1240 }],
    ["this file needs a password.", { status: "failed", error: { code: "password_protected", message: "x" } }],
    ["all 12 pages are pictures, and no picture reader is connected.", { status: "failed", pages: 12, error: { code: "no_text_layer", message: "x" } }],
    ["The server's own words.", { status: "failed", error: { code: "new_code", message: "The server's own words." } }],
  ])("%s", (text, fields) => {
    expect(statusLine(source(fields)).text).toBe(text);
  });

  it("names the pages that were not read", () => {
    const report = { not_read: [{ page: 1, code: "x", why: "" }, { page: 2, code: "x", why: "" }] } as unknown as Source["report"];
    expect(statusLine(source({ warnings: 1, pages: 340, report })).text).toBe("Ready with warnings · 2 of 340 pages not read");
  });

  it("offers one remedy for each reason", () => {
    const remedy = (code: string, fields: Partial<Source> = {}, hasVision = false) => remedyOf(source({ ...fields, error: { code, message: "" } }), hasVision);
    expect(["password_protected", "no_text_layer", "url_not_found", "unsupported_kind", "no_speech"].map((code) => remedy(code))).toEqual(["password", "connect_vision", "retry", null, null]);
    expect(remedy("no_text_layer", {}, true)).toBe("pictures");
    expect(remedy("no_model", { kind: "audio" })).toBe("connect_speech");
    expect(remedy("no_model", { kind: "image" })).toBe("connect_vision");
  });

  it("does not say that no picture reader is connected where there is one", () => {
    expect(statusLine(source({ status: "failed", pages: 3, error: { code: "no_text_layer", message: "x" } }), true).text).toBe("its pages are pictures, and they were not read.");
  });

  it("offers everything that helps a source that is read in part", () => {
    const report = { not_read: [{ page: 1, code: "no_text_layer", why: "" }, { page: 2, code: "model_timeout", why: "" }] } as unknown as Source["report"];
    expect(remediesOf(source({ report }), false)).toEqual(["connect_vision", "reread"]);
    expect(remediesOf(source({ report }), true)).toEqual(["pictures", "reread"]);
    expect(remediesOf(source({ status: "needs_approval" }), true)).toEqual(["approve"]);
    expect(remediesOf(source({ kind: "url" }), true)).toEqual(["fetch"]);
    expect(remediesOf(source({ stale: true }), true)).toEqual(["reread"]);
  });
});

describe("time left", () => {
  it("is said only after three measured steps", () => {
    [0, 1, 2].forEach((done) => notePace("p", "reading", done, done * 1000));
    expect(secondsLeft("p", 103)).toBeNull();
    notePace("p", "reading", 3, 3000);
    expect(secondsLeft("p", 103)).toBe(100);
  });

  it("begins anew with another step of the work", () => {
    notePace("p", "indexing", 0, 4000);
    expect(secondsLeft("p", 103)).toBeNull();
  });

  it("is rounded, because it is a guess", () => {
    expect([3, 31, 62, 260].map(about)).toEqual(["about 10 seconds", "about 40 seconds", "about 1 min", "about 4 min"]);
    expect(about(3 * 3600)).toBe("about 3 hours");
  });
});

describe("links", () => {
  it("takes one a line, adds https, drops doubles and names what is none", () => {
    expect(linksIn("https://a.org/x\n\n b.org \nhttps://a.org/x\nnot a link\nftp://a.org")).toEqual({
      urls: ["https://a.org/x", "https://b.org"],
      bad: ["not a link", "ftp://a.org"],
    });
  });

  it("text that merely holds a link is text", () => {
    expect(isOnlyLinks("https://a.org")).toBe(true);
    expect(isOnlyLinks("see https://a.org")).toBe(false);
  });
});

describe("sites", () => {
  const site = (fields: Partial<Site>): Site => ({ id: "s", url: "https://www.example.org/docs/", status: "ready", error: null, report: null, looked_at: null, look_again_at: null, refresh_hours: null, ...fields }) as Site;

  it("are named by host and path", () => {
    expect(siteName("https://www.example.org/docs/")).toBe("example.org/docs");
    expect(siteName("https://example.org/")).toBe("example.org");
  });

  it("one address is the site's own, several are a list of its pages", () => {
    expect(siteFrom(["https://a.org/sitemap.xml"])).toEqual({ url: "https://a.org/sitemap.xml" });
    expect(siteFrom(["https://a.org/x", "https://a.org/y"])).toEqual({ url: "https://a.org", addresses: ["https://a.org/x", "https://a.org/y"] });
    expect(siteFrom([])).toBeNull();
  });

  it("say how many pages they have, that they are looked at, or why they could not be", () => {
    expect(siteLine(site({}), 3)).toBe("3 pages");
    expect(siteLine(site({ status: "queued" }), 0)).toBe("Waiting to be looked at");
    expect(siteLine(site({ status: "looking" }), 2)).toBe("2 pages · Looking for pages");
    expect(siteLine(site({ status: "failed", error: { code: "site_no_pages", message: "" } }), 0)).toContain("Not looked at: no pages were found there.");
  });

  it("tell what was not added, and why", () => {
    expect(refusedOf(site({}))).toEqual({ n: 0, items: [] });
    const items = [
      { url: "https://a.org/x", state: "refused", why: "url_login", source_id: null },
      { url: "https://a.org/y", state: "refused", why: "robots", source_id: null },
      { url: "https://a.org/z", state: "added", why: null, source_id: "1" },
    ];
    const refused = refusedOf(site({ report: { found: 9, added: 7, refused: { url_login: 1, robots: 1 }, items } as unknown as Site["report"] }));
    expect([refused.n, refused.items.map((item) => item.url)]).toEqual([2, ["https://a.org/x", "https://a.org/y"]]);
    expect(refused.items.map((item) => item.why)).toEqual([expect.stringContaining("sign-in"), expect.stringContaining("robots.txt")]);
  });

  it("plans are said in words, also those of the command line", () => {
    expect([null, 24, 6].map(planWords)).toEqual(["Only when I say so", "Every day", "Every 6 hours"]);
  });
});
