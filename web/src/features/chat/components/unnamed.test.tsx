import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { setLanguage, t } from "@/shared/i18n/i18n";
import { EMPTY } from "../lib/events";
import { turnOf, type AskRequest, type ChatTurn } from "../lib/request";
import { TurnView } from "./TurnView";

const asked = "**Why** <b>so</b> ![p](http://e/p.png) http://e/ [1]";
const request: AskRequest = { notebookId: "n", conversationId: "c", question: asked, sourceIds: null, replaces: null };

/** A turn whose answer keeps a number that names no source, as a profile that flags such numbers sends it. */
function show(isChecked: boolean) {
  const text = "It is deep [9].";
  const base = turnOf(request, { ...EMPTY, phase: isChecked ? "ended" : "writing", turnId: "t", text, citations: [] }, "t", "2026-05-03T10:00:00Z");
  const checks = { citations_valid: false, numbers_grounded: true, ungrounded_numbers: [], statements: [{ start: 0, end: 15, cited: [], status: "uncited" as const }], found: 0, total: 1 };
  const turn: ChatTurn = isChecked ? { ...base, status: "done", finish: "complete", checks } : base;
  return render(
    <QueryClientProvider client={new QueryClient()}>
      <TurnView shown={{ key: "k", turn, live: null }} sources={1} isLast onOpen={() => undefined} onAgain={() => undefined} onWhy={() => undefined} versions={null} />
    </QueryClientProvider>,
  );
}

beforeAll(() => setLanguage("en"));
afterEach(cleanup);

describe("a number that names no source", () => {
  it("is struck through with its reason, opens nothing and is no mark", () => {
    show(true);
    const number = screen.getByTitle(t("verdict.unknown"));
    expect(number.textContent).toBe("9");
    expect(number.className).toContain("unknown");
    expect(screen.queryByTestId("mark")).toBeNull();
    expect(number.closest("a, button")).toBeNull();
  });

  it("is neutral while its source may still come", () => {
    show(false);
    expect(screen.queryByTitle(t("verdict.unknown"))).toBeNull();
  });
});

describe("a question", () => {
  it("is shown as it was typed", () => {
    show(true);
    const shown = screen.getByTestId("question");
    expect(shown.textContent).toContain(asked);
    expect(shown.querySelectorAll("a, img, b, strong")).toHaveLength(0);
  });
});
