import { describe, expect, it } from "vitest";
import { lookAgainMs } from "@/shared/api/queries";
import { touched } from "@/shared/api/useFeed";

const list = (keys: readonly unknown[]) => keys.map((key) => JSON.stringify(key));

describe("a hint of the live feed", () => {
  it("about a source refetches the lists it is in, and no other notebook's", () => {
    const keys = list(touched({ what: "source", id: "s1", notebook_ids: ["n1"] }));
    expect(keys).toContain('["sources","of","n1"]');
    expect(keys).toContain('["sources","one","s1"]');
    expect(keys).not.toContain('["sources","of","n2"]');
  });

  it("about a source of unknown notebooks refetches every list", () => {
    expect(list(touched({ what: "source", id: "s1" }))).toContain('["sources","of"]');
  });

  it("about a turn refetches the turn, its conversation and the list of conversations", () => {
    const keys = list(touched({ what: "turn", id: "t", conversation_id: "c", notebook_id: "n" }));
    expect(keys).toEqual(['["turns","t"]', '["conversations","one","c"]', '["conversations","of","n"]']);
  });

  it("after a silence refetches everything that can have changed", () => {
    expect(list(touched({ what: "all" }))).toEqual(expect.arrayContaining(['["sources"]', '["notebooks"]', '["conversations"]']));
  });
});

describe("a list of sources", () => {
  it("is looked at without a hint while a row moves, and only then", () => {
    expect(lookAgainMs([{ status: "ready" }, { status: "reading" }])).toBeGreaterThan(0);
    expect([lookAgainMs([{ status: "ready" }, { status: "failed" }]), lookAgainMs(undefined)]).toEqual([false, false]);
  });
});
