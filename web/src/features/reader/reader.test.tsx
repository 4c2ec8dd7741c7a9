import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { readerAddress } from "@/features/citations/lib/address";
import { setLanguage, t } from "@/shared/i18n/i18n";
import { sliceByCodePoints } from "@/shared/lib/codepoints";
import type { Citation, Turn } from "@/shared/api/types";
import ReaderView from "./components/ReaderView";

const TEXT = "😀 e\u0301tude.\n\n# Results\n\nThe summit lies at 2,410 metres. Snow falls.\n";
const QUOTE = "The summit lies at 2,410 metres.";
const START = Array.from(TEXT.slice(0, TEXT.indexOf(QUOTE))).length;
const END = START + QUOTE.length;

const used = { statement: 0, quote: QUOTE, start: START, end: END, context: null, verdict: "found", evidence: null } as const;
const cited = (n: number, fields: Partial<Citation>): Citation =>
  ({ n, source_id: "s", reading_id: "r", source_title: "Summit", kind: "text", chunk_id: `${n}`, passage: 0, similarity: null, removed: false, quote: QUOTE, start: START, end: END, verdict: "found", uses: [used], ...fields }) as Citation;
const missing = { ...used, verdict: "not_found", quote: null, start: null, end: null } as const;
const turn = {
  id: "t", conversation_id: "c", notebook_id: "n", question: "How high?", status: "done", finish: "complete",
  answer: "High [1]. Very [2].", citations: [cited(1, {}), cited(2, { uses: [missing], verdict: "not_found", quote: null, start: null, end: null })],
  checks: { citations_valid: true, numbers_grounded: true, ungrounded_numbers: [], statements: [{ start: 0, end: 9, cited: [1], status: "found" }], found: 1, total: 1 },
} as unknown as Turn;

/** The gateway's answers, by path. */
function serve(source: Record<string, unknown> | null): string[] {
  const asked: string[] = [];
  const answers: Record<string, unknown> = {
    "/api/v1/sources/s": source,
    "/api/v1/turns/t": turn,
    "/api/v1/sources/s/outline": { items: [{ title: "Results", level: 1, passage: 0, start: Array.from(TEXT.slice(0, TEXT.indexOf("# "))).length }] },
    "/api/v1/sources/s/passages": { items: [{ passage: 0, offset: 0, text: TEXT, page: null, heading: null }], reading_id: "r", next_cursor: null },
  };
  vi.stubGlobal("fetch", (url: string) => {
    asked.push(url);
    const answer = answers[url.split("?")[0] ?? ""];
    return Promise.resolve(answer ? Response.json(answer) : Response.json({ error: { code: "not_found", message: "No." } }, { status: 404 }));
  });
  return asked;
}

function open(fields: Parameters<typeof readerAddress>[0] | null) {
  const address = fields ? readerAddress(fields) : "/n/n/s/s";
  history.replaceState(null, "", address);
  return render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <ReaderView notebookId="n" sourceId="s" />
    </QueryClientProvider>,
  );
}

const SOURCE = { id: "s", title: "Summit", kind: "text", status: "ready", searchable: "full", pages: null, reading_id: "r", created_at: "2026-05-03T10:00:00Z", updated_at: "2026-05-09T10:00:00Z", ready_at: "2026-05-09T10:00:00Z", url: null };
const at = { passage: 0, start: START, end: END };

beforeAll(() => setLanguage("en"));
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

describe("the reader of a text", () => {
  it("marks exactly the quote in a text that begins with emoji and combining marks, and shows the text word for word", async () => {
    serve(SOURCE);
    open({ notebookId: "n", sourceId: "s", at, turn: "t", mark: 0, conversation: "c" });
    const mark = await screen.findByTestId("highlight");
    expect(mark.textContent).toBe(sliceByCodePoints(TEXT, START, END));
    expect(screen.getByTestId("text-view").querySelector("[data-passage] > div")?.textContent).toBe(TEXT);
  });

  it("the marks that reading set before headings are unseen and still there, and an author's own are shown", async () => {
    for (const [kind, unseen] of [["office", "# "], ["url", "# "], ["markdown", undefined], ["text", undefined]] as const) {
      serve({ ...SOURCE, kind, media_type: kind === "office" ? "application/epub+zip" : null });
      open(null);
      const words = await screen.findByText("Results", { exact: false, selector: "[data-passage] span:last-of-type" });
      const box = words.closest("[data-passage] > div");
      expect(box?.textContent).toBe(TEXT);
      expect(box?.querySelector("[data-unseen]")?.textContent).toBe(unseen);
      cleanup();
    }
  });

  it("a citation that was not found opens its passage without a mark, with the verdict in words", async () => {
    serve(SOURCE);
    open({ notebookId: "n", sourceId: "s", at: { passage: 0, start: 0, end: 0 }, turn: "t", mark: 1, conversation: "c" });
    expect(await screen.findByTestId("beside")).toBeTruthy();
    expect(screen.queryByTestId("highlight")).toBeNull();
    expect((await screen.findByTestId("reader-verdict")).textContent).toContain("Not found in source.");
  });

  it("steps through the answer's citations and keeps the place in the address", async () => {
    serve(SOURCE);
    open({ notebookId: "n", sourceId: "s", at, reading: "r", turn: "t", mark: 0, conversation: "c" });
    const steps = await screen.findByTestId("reader-steps");
    expect(steps.textContent).toContain("1 of 2");
    await act(async () => fireEvent.click(screen.getByRole("button", { name: t("reader.after") })));
    expect(location.search).toContain("m=1");
    await act(async () => fireEvent.keyDown(document, { key: "[" }));
    expect(location.search).toContain("m=0");
  });

  it("an earlier reading is named, and its text is asked for by its name", async () => {
    const asked = serve(SOURCE);
    open({ notebookId: "n", sourceId: "s", at, reading: "old", turn: "t", mark: 0, conversation: "c" });
    expect((await screen.findByTestId("earlier-reading")).textContent).toContain("earlier reading");
    await screen.findByTestId("highlight");
    expect(asked.some((url) => url.includes("/passages?") && url.includes("reading=old"))).toBe(true);
  });

  it("a saved page says when, and leads to its host in a new tab without passing anything on", async () => {
    serve({ ...SOURCE, kind: "url", media_type: "text/html", url: "https://council.example.org/thirty", fetched_at: "2026-05-03T10:00:00Z" });
    open(null);
    const saved = await screen.findByTestId("saved");
    expect(saved.textContent).toContain("Saved 3 May 2026");
    const link = screen.getByRole("link");
    expect(link.textContent).toContain("council.example.org");
    expect([link.getAttribute("target"), link.getAttribute("rel")]).toEqual(["_blank", "noopener noreferrer nofollow"]);
  });

  it("an address that is none of the web is no link", async () => {
    serve({ ...SOURCE, kind: "url", media_type: "text/html", url: "javascript:alert(1)" });
    open(null);
    await screen.findByTestId("saved");
    expect(screen.queryByRole("link")).toBeNull();
  });

  it("finds words whatever their case and accents", async () => {
    serve(SOURCE);
    open(null);
    await screen.findByTestId("text-view");
    await act(async () => fireEvent.keyDown(document, { key: "f" }));
    const field = screen.getByTestId("reader-search");
    await act(async () => fireEvent.change(field, { target: { value: "ETUDE" } }));
    await vi.waitFor(() => expect(screen.getByRole("search").textContent).toContain("0 of 1"));
    await act(async () => fireEvent.keyDown(field, { key: "Enter" }));
    expect(screen.getByTestId("text-view").querySelector("mark")?.textContent).toBe("e\u0301tude");
  });

  it("a source that is gone says so", async () => {
    serve(null);
    open(null);
    expect((await screen.findByTestId("reader-gone")).textContent).toBe(t("reader.removed"));
  });
});
