import { describe, expect, it } from "vitest";
import { groupByAge } from "./ages";
import { LiveTurns } from "./live";
import { turnOf, type AskRequest, type ChatTurn } from "./request";
import { exchanges, lastOutOfHistory, shownTurns } from "./shown";
import { EMPTY } from "./events";
import { scopeOf } from "./scopeOf";
import type { Source } from "@/shared/api/types";

const request: AskRequest = { notebookId: "n", conversationId: "c", question: "Why?", sourceIds: null, replaces: null };
const stored = (id: string, fields: Partial<ChatTurn> = {}): ChatTurn => ({
  ...turnOf(request, { ...EMPTY, phase: "ended", turnId: id, conversationId: "c" }, id, "2026-05-03T10:00:00Z"),
  finish: "complete", in_history: true, ...fields,
});
const at = { notebookId: "n", conversationId: "c" };

describe("turns as they are shown", () => {
  it("a turn that is stored and live is shown once, in its place", () => {
    const live = new LiveTurns();
    live.add("k", request, { turnId: "b", conversationId: "c" });
    const shown = shownTurns([stored("a"), stored("b"), stored("d")], live.all(), at, (id) => live.keyOf(id));
    expect(shown.map((turn) => [turn.key, turn.live !== null])).toEqual([["a", false], ["k", true], ["d", false]]);
  });

  it("the same turn is the same object, so that it is not rendered again", () => {
    const turn = stored("a");
    const once = shownTurns([turn], [], at, (id) => id);
    expect(shownTurns([turn], [], at, (id) => id)[0]).toBe(once[0]);
  });

  it("versions of a question share its place, also over several steps", () => {
    const shown = shownTurns([stored("a"), stored("b"), stored("a2", { replaces: "a" }), stored("a3", { replaces: "a2" })], [], at, (id) => id);
    expect(exchanges(shown).map((exchange) => exchange.versions.map((version) => version.turn.id))).toEqual([["a", "a2", "a3"], ["b"]]);
  });

  it("the line of history stands after the last complete answer that is not sent along", () => {
    const list = (flags: boolean[]) => exchanges(shownTurns(flags.map((flag, index) => stored(`t${index}`, { in_history: flag })), [], at, (id) => id));
    expect(lastOutOfHistory(list([false, false, true]))).toBe(1);
    expect(lastOutOfHistory(list([true, true]))).toBe(-1);
    expect(lastOutOfHistory(list([false]))).toBe(-1);
  });
});

describe("conversations by age", () => {
  it("today, this week and earlier, the newest first", () => {
    const talk = (id: string, updated_at: string) => ({ id, title: id, created_at: updated_at, updated_at, turns: 1 });
    const now = new Date(2026, 4, 20, 12);
    const day = (back: number): string => new Date(2026, 4, 20 - back, 11).toISOString();
    const groups = groupByAge([talk("old", day(30)), talk("b", day(2)), talk("a", day(0))], now);
    expect(groups.map(([age, talks]) => [age, talks.map((row) => row.id)])).toEqual([["today", ["a"]], ["week", ["b"]], ["earlier", ["old"]]]);
  });
});

describe("where a question goes", () => {
  const source = (id: string, fields: Partial<Source> = {}) => ({ id, searchable: "full", grant: "given", ...fields }) as Source;

  it("all sources need no list; an unticked one makes a list of the others", () => {
    const sources = [source("a"), source("b"), source("p", { grant: "paused" })];
    expect(scopeOf(sources, new Set())).toEqual({ ids: null, count: 2, reason: null });
    expect(scopeOf(sources, new Set(["b"]))).toEqual({ ids: ["a"], count: 1, reason: null });
  });

  it("says why nothing can be asked", () => {
    expect(scopeOf([], new Set()).reason).toBe("chat.noSources");
    expect(scopeOf([source("a")], new Set(["a"])).reason).toBe("chat.noneTicked");
    expect(scopeOf([source("a", { searchable: "none" })], new Set()).reason).toBe("chat.noneReady");
    const failed = source("f", { searchable: "none", status: "failed" });
    expect(scopeOf([failed], new Set()).reason).toBe("chat.noneRead");
    expect(scopeOf([failed, source("a", { searchable: "none", status: "reading" })], new Set()).reason).toBe("chat.noneReady");
    expect(scopeOf(undefined, new Set()).reason).toBeNull();
  });
});
