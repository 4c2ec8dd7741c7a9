import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { CitationCard } from "@/features/citations/components/CitationCard";
import { closeCard } from "@/features/citations/lib/card";
import { answerAsHtml, answerAsMarkdown } from "@/features/citations/lib/copy";
import { setLanguage, t } from "@/shared/i18n/i18n";
import type { Citation, Statement, Use } from "@/shared/api/types";
import { EMPTY } from "../lib/events";
import { LiveTurns } from "../lib/live";
import { turnOf, type AskRequest, type ChatTurn } from "../lib/request";
import type { ShownTurn } from "../lib/shown";
import { TurnView } from "./TurnView";

const request: AskRequest = { notebookId: "n", conversationId: "c", question: "Why?", sourceIds: null, replaces: null };
const used = (statement: number, verdict: Use["verdict"], evidence: Partial<NonNullable<Use["evidence"]>> = {}): Use => ({
  statement, verdict, quote: "It may rain at 41 places.", start: 100, end: 125, context: { before: "Before.", after: "After." },
  evidence: { spans: [[103, 106]], missing: [], numbers: { matched: [], missing: [] }, caution: null, quoted_words_found: null, entailed: null, ...evidence },
});
const citation = (n: number, uses: Use[], fields: Partial<Citation> = {}): Citation => ({
  n, source_id: `s${n}`, reading_id: "r", source_title: `Title ${n}`, kind: "pdf", chunk_id: `${n}`, passage: 3, page: 17, heading: "Measures > Speed", similarity: null,
  removed: false, quote: uses[0]?.quote ?? null, start: 100, end: 125, verdict: uses[0]?.verdict ?? null, uses, ...fields,
});

/** An answer of sentences; each `[text, status]` becomes a statement with its place. */
function turnWith(parts: [string, Statement["status"]][], citations: Citation[], fields: Partial<ChatTurn> = {}): ChatTurn {
  let answer = "";
  const statements = parts.map(([text, status]) => {
    const start = Array.from(answer).length;
    answer += `${text} `;
    return { start, end: start + Array.from(text).length, cited: [], status };
  });
  const found = statements.filter((statement) => statement.status === "found").length;
  const base = turnOf(request, { ...EMPTY, phase: "ended", turnId: "t", text: answer, citations }, "t", "2026-05-03T10:00:00Z");
  const checks = { citations_valid: true, numbers_grounded: true, ungrounded_numbers: [], statements, found, total: statements.length };
  return { ...base, status: "done", finish: "complete", checks, ...fields };
}

function show(turn: ChatTurn, live: ShownTurn["live"] = null, onOpen = vi.fn()) {
  const view = (
    <QueryClientProvider client={new QueryClient()}>
      <TurnView shown={{ key: "k", turn, live }} sources={12} isLast onOpen={onOpen} onAgain={() => undefined} onWhy={() => undefined} versions={null} />
      <CitationCard />
    </QueryClientProvider>
  );
  return { ...render(view), onOpen };
}

const everyVerdict = (): ChatTurn =>
  turnWith(
    [["😀 Found. [1]", "found"], ["Less sure. [2]", "partly"], ["It is 14. [3]", "number_differs"], ["Not so. [4]", "not_found"], ["No source here.", "uncited"], ["Gone. [5]", "not_found"]],
    [
      citation(1, [used(0, "found", { quoted_words_found: true, numbers: { matched: ["41"], missing: [] } })]),
      citation(2, [used(1, "partly", { caution: "may" })]),
      citation(3, [used(2, "number_differs", { numbers: { matched: [], missing: ["14"] } })]),
      citation(4, [{ ...used(3, "not_found"), quote: null, start: null, end: null }]),
      citation(5, [used(5, "not_checked")], { removed: true }),
    ],
  );

beforeAll(() => setLanguage("en"));
afterEach(() => {
  act(closeCard);
  cleanup();
  vi.unstubAllGlobals();
});

describe("an answered turn", () => {
  it("every mark has the name of its verdict", () => {
    show(everyVerdict());
    const names = screen.getAllByTestId("mark").map((mark) => mark.getAttribute("aria-label"));
    expect(names).toEqual([
      "Source 1, found in source", "Source 2, partly found", "Source 3, number differs", "Source 4, not found in source", "Source 5, source removed",
    ]);
  });

  it("the summary says what the check says, and the sentence without a source is marked", () => {
    show(everyVerdict());
    expect(screen.getByTestId("answer-summary").textContent).toContain("1 of 6 statements found in your sources");
    expect(screen.getByTestId("to-check").textContent).toBe("5 to check");
    expect(screen.getByTestId("uncited").textContent).toBe("No source here. (No source given)");
  });

  it("the card opens by focus with the quote and its reason, without a request, and Esc leaves the focus at the mark", () => {
    vi.stubGlobal("fetch", () => {
      throw new Error("no request");
    });
    show(everyVerdict());
    const mark = screen.getAllByTestId("mark")[1];
    if (!mark) throw new Error("no mark");
    vi.spyOn(mark, "matches").mockReturnValue(true); // :focus-visible, which this DOM does not know
    act(() => mark.focus());
    const card = screen.getByTestId("citation-card");
    expect(mark.getAttribute("aria-expanded")).toBe("true");
    expect(within(card).getByTestId("quote").querySelector("[data-quote]")?.textContent).toBe("It may rain at 41 places.");
    expect(within(card).getByTestId("quote").querySelector("mark")?.textContent).toBe("may");
    expect(card.textContent).toContain("Page 17 · Measures › Speed");
    expect(card.textContent).toContain("The source is more careful: it says “may”.");
    fireEvent.keyDown(mark, { key: "Escape" });
    expect(screen.queryByTestId("citation-card")).toBeNull();
    expect(document.activeElement).toBe(mark);
  });

  it("a press on a mark opens the reader; a removed source opens only its card", () => {
    const { onOpen } = show(everyVerdict());
    const marks = screen.getAllByTestId("mark");
    fireEvent.click(marks[0] as HTMLElement);
    expect(onOpen).toHaveBeenCalledOnce();
    fireEvent.click(marks[4] as HTMLElement);
    expect(onOpen).toHaveBeenCalledOnce();
    expect(screen.getByTestId("citation-card").textContent).toContain("It is no longer in this notebook.");
    expect(within(screen.getByTestId("citation-card")).queryByText("Open page")).toBeNull();
  });

  it("the card of a note says whose it is, and that only the note says this", () => {
    show(turnWith([["It may rain. [1]", "partly"]], [citation(1, [used(0, "partly")], { kind: "note", page: null })]));
    const mark = screen.getByTestId("mark");
    vi.spyOn(mark, "matches").mockReturnValue(true); // :focus-visible, which this DOM does not know
    act(() => mark.focus());
    const card = screen.getByTestId("citation-card").textContent;
    expect(card).toContain(t("card.note"));
    expect(card).toContain(t("why.note"));
  });

  it("markup in an answer is text: no link, no picture, no script, no form", () => {
    const hostile = '<script>x()</script> <img src=x onerror=y()> ![p](http://e/p.png) [click](javascript:z()) <form action="/"> http://e/';
    const { container } = show(turnWith([[hostile, "uncited"]], []));
    expect(container.querySelectorAll("a, img, script, form, iframe, style")).toHaveLength(0);
    expect(screen.getByTestId("answer").textContent).toContain("<script>x()</script> <img src=x onerror=y()> p click");
  });

  it("nothing found shows the sentence and the closest quotes, never a mark", () => {
    const near = { ...citation(1, [used(0, "found")]), uses: undefined } as unknown as Citation;
    show(turnWith([], [], { answer: "", reply_kind: "none", closest: [near] }));
    expect(screen.getByTestId("nothing-found").textContent).toBe(t("answer.nothing"));
    expect(screen.getByTestId("closest").textContent).toContain("It may rain at 41 places.");
    expect(screen.queryByTestId("mark")).toBeNull();
  });

  it("a text that a model wrote from nothing stands over the sentence that nothing answers this, and the honest line does not say it twice", () => {
    const near = { ...citation(1, [used(0, "found")]), uses: undefined } as unknown as Citation;
    show(turnWith([["Peel the apples.", "uncited"]], [], { reply_kind: "none", closest: [near] }));
    expect(screen.getByTestId("nothing-found").textContent).toBe(t("answer.nothing"));
    expect(screen.getByTestId("closest").textContent).toContain("It may rain at 41 places.");
    cleanup();
    show(turnWith([], [], { answer: t("answer.nothing"), reply_kind: "none", closest: [near] }));
    expect(screen.queryByTestId("nothing-found")).toBeNull();
  });

  it("without a writing model it says so", () => {
    show(turnWith([["“It may rain.” [1]", "found"]], [citation(1, [used(0, "found")])], { degraded: ["no_chat_model"] }));
    expect(screen.getByTestId("quoted").textContent).toContain("Quotes only");
  });

  it("a stopped and a broken answer say what happens to their text", () => {
    show(turnWith([["Half", "uncited"]], [], { status: "stopped", finish: "stopped" }));
    expect(screen.getByTestId("stopped").textContent).toBe(t("answer.stopped"));
    cleanup();
    show(turnWith([["Half", "uncited"]], [], { status: "failed", finish: "broken", error: { code: "interrupted", message: "The model went away." } }));
    expect(screen.getByTestId("broken").textContent).toContain(t("answer.broken"));
  });
});

describe("a growing turn", () => {
  it("shows its stage and neutral marks, and is busy for screen readers", () => {
    const store = new LiveTurns();
    const cited = citation(1, [{ ...used(0, "found"), verdict: null, evidence: null }]);
    const live = store.add("k", request, { phase: "writing", turnId: "t", conversationId: "c", text: "It rains **a lot [1]", points: 20, citations: [cited] });
    show({ ...turnOf(request, live.growing, "t", live.createdAt) }, live);
    expect(screen.getByTestId("answer").getAttribute("aria-busy")).toBe("true");
    expect(screen.getByTestId("stage").textContent).toBe("Writing");
    expect(screen.getByTestId("mark").getAttribute("data-verdict")).toBe("streaming");
    expect(screen.getByTestId("answer").querySelector("strong")?.textContent).toContain("a lot");
    expect(screen.queryByTestId("answer-summary")).toBeNull();
  });
});

describe("an answer on the clipboard", () => {
  const turn = turnWith([["Sure [1][2].", "found"], ["`x[1]` stays.", "uncited"]], [citation(1, [used(0, "found")]), citation(2, [used(0, "found")])]);

  it("is Markdown with footnotes that carry title, place and quote", () => {
    const text = answerAsMarkdown(turn.answer ?? "", turn.citations, t);
    expect(text).toContain("Sure [^1][^2]. `x[1]` stays.");
    expect(text).toContain("[^1]: Title 1, Page 17 · Measures › Speed: “It may rain at 41 places.”");
  });

  it("and HTML in which everything is escaped", () => {
    const html = answerAsHtml("a < b & <img src=x> [1]", turn.citations, t);
    expect(html).toContain("a &lt; b &amp; &lt;img src=x&gt; <sup>[1]</sup>");
  });
});
