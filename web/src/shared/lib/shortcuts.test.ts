import { describe, expect, it } from "vitest";
import { isTyping, keyName } from "@/shared/lib/shortcuts";

const press = (key: string, fields: KeyboardEventInit = {}) => keyName(new KeyboardEvent("keydown", { key, ...fields }));

describe("keys", () => {
  it("are named by what they write, with Mod for Ctrl and Cmd", () => {
    expect([press("?", { shiftKey: true }), press("K", { ctrlKey: true }), press("k", { metaKey: true })]).toEqual(["?", "Mod+k", "Mod+k"]);
    expect([press("O", { ctrlKey: true, shiftKey: true }), press("ArrowLeft", { altKey: true })]).toEqual(["Mod+Shift+o", "Alt+ArrowLeft"]);
  });

  it("belong to the field while one types", () => {
    const field = (html: string) => {
      document.body.innerHTML = html; // eslint-disable-line no-restricted-syntax -- a test's own markup
      return document.body.firstElementChild;
    };
    expect([field("<textarea></textarea>"), field("<input>"), field("<select></select>")].map(isTyping)).toEqual([true, true, true]);
    expect([field("<input type='checkbox'>"), field("<button></button>"), null].map(isTyping)).toEqual([false, false, false]);
  });
});
