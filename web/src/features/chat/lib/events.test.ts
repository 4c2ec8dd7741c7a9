import { describe, expect, it } from "vitest";
import { apply, EMPTY, eventOf, type AnswerEvent, type Growing } from "./events";

const token = (text: string, at: number): AnswerEvent => ({ type: "token", text, at });
const all = (events: AnswerEvent[], from: Growing = EMPTY): Growing => events.reduce(apply, from);

describe("a growing turn", () => {
  it("joins tokens by their place in code points", () => {
    expect(all([token("a😀", 0), token("b", 2)]).text).toBe("a😀b");
  });

  it("a piece heard twice after a reconnect adds nothing, an overlapping one only its new end", () => {
    const turn = all([token("one ", 0), token("two ", 4), token("one ", 0), token("two three", 4)]);
    expect(turn.text).toBe("one two three");
    expect(turn.points).toBe(13);
  });

  it("a piece from further on is not put in the wrong place", () => {
    const turn = all([token("one ", 0), token("three", 8)]);
    expect(turn).toMatchObject({ text: "one ", hasGap: true });
  });

  it("stages never go back when a resumed stream tells them again", () => {
    const open: AnswerEvent = { type: "open", turn_id: "t", conversation_id: "c", passages: 8 };
    const turn = all([open, { type: "stage", name: "writing" }, { type: "stage", name: "checking" }, open, { type: "stage", name: "writing" }]);
    expect(turn).toMatchObject({ phase: "checking", turnId: "t", passages: 8 });
  });

  it("nothing counts after the end", () => {
    const ended = all([token("a", 0), { type: "error", code: "interrupted", message: "x" }, token("b", 1)]);
    expect(ended).toMatchObject({ phase: "ended", text: "a" });
  });

  it("an event of a newer gateway is passed over", () => {
    expect(eventOf("novelty", "{}")).toBeNull();
    expect(eventOf("token", '{"text":"x","at":3}')).toEqual(token("x", 3));
  });
});
