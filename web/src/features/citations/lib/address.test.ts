import { describe, expect, it } from "vitest";
import { chatAddress, readerAddress, readerPlace } from "./address";

describe("the reader's address", () => {
  it("holds the place and gives it back", () => {
    const place = { at: { passage: 12, start: 40, end: 97 }, reading: "r1", turn: "t1", mark: 0, conversation: "c1" };
    const address = readerAddress({ notebookId: "n", sourceId: "s", ...place });
    expect(address).toBe("/n/n/s/s?at=12:40-97&r=r1&turn=t1&m=0&c=c1");
    expect(readerPlace(address.slice(address.indexOf("?")))).toEqual(place);
  });

  it("nonsense in the address is nothing, not an error", () => {
    expect(readerPlace("?at=x:1-2&m=-3")).toEqual({ at: null, reading: null, turn: null, mark: null, conversation: null });
    expect(readerPlace("?at=1:9-2").at).toBeNull();
  });

  it("the way back leads to the conversation, or to the notebook", () => {
    expect(chatAddress("n", "c")).toBe("/n/n/c/c");
    expect(chatAddress("n", null)).toBe("/n/n");
  });
});
