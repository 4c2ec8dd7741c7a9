import { describe, expect, it, vi } from "vitest";
import type { HandoverKind, Led, WidgetApi } from "./contract";
import { isReachable, Panel } from "./panel";
import { LANGUAGES, sayIn } from "./words";

const never = (): Promise<never> => Promise.reject(new Error("not asked for"));

function panelFor(isAnonymous: boolean, handover: HandoverKind = "mail"): { form: HTMLFormElement; contact: HTMLInputElement; sent: string[][] } {
  const sent: string[][] = [];
  const handOver = (replyTo: string, note: string): Promise<Led> => {
    sent.push([replyTo, note]);
    return Promise.resolve({ kind: "mail", to: null, queued: true });
  };
  const api: WidgetApi = {
    meet: never, conversation: () => Promise.resolve([]), ask: never, events: never, stop: never, rate: never, reset: never, isAnonymous: () => isAnonymous, handOver,
  };
  const met = { name: "Helper", look: {}, language: null, handover, keeps: true };
  const panel = new Panel({ api, met, say: sayIn("en"), onClose: null });
  document.body.replaceChildren(panel.element);
  panel.element.querySelector<HTMLButtonElement>("[data-part=person]")?.click();
  const form = panel.element.querySelector<HTMLFormElement>("form.strip-form");
  const contact = panel.element.querySelector<HTMLInputElement>("[data-part=contact]");
  if (!form || !contact) throw new Error("the form is not there");
  return { form, contact, sent };
}

function type(into: HTMLInputElement, text: string): void {
  into.value = text;
  into.dispatchEvent(new Event("input"));
}

describe("the way to a person", () => {
  it("who is anonymous must say where they are reached, and is told how in the widget's words", async () => {
    const { form, contact, sent } = panelFor(true);
    expect(form.checkValidity()).toBe(false);
    expect(contact.validationMessage).toBe(sayIn("en")("personHow"));
    type(contact, "ask me");
    expect(form.checkValidity()).toBe(false);
    type(contact, " +44 20 7946 0958 ");
    expect(form.checkValidity()).toBe(true);
    form.requestSubmit();
    await vi.waitFor(() => expect(sent).toEqual([["+44 20 7946 0958", ""]]));
  });

  it("whom the host application signed in may leave it out", async () => {
    const { form, contact, sent } = panelFor(false);
    expect([contact.required, form.checkValidity()]).toEqual([false, true]);
    type(contact, "ask me");
    expect(form.checkValidity()).toBe(false);
    type(contact, "");
    form.requestSubmit();
    await vi.waitFor(() => expect(sent).toEqual([["", ""]]));
  });

  it.each(["ada@example.org", "(020) 7946-0958", "030/1234567", "0351 46555 ext. 12"])("%s is a way to reach somebody", (given) => {
    expect(isReachable(given, true)).toBe(true);
  });

  it.each(["ada", "ada@", "1234", "call me at 5", "a@b.co, c@d.ee", "9".repeat(30)])("%s is none", (given) => {
    expect(isReachable(given, false)).toBe(false);
  });

  it("every language asks for it", () => {
    for (const words of Object.values(LANGUAGES)) for (const word of ["personContact", "personContactFree", "personHow"] as const) expect(words[word]).toMatch(/\S{4}/);
  });
});
