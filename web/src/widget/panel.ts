/** The dialog: name, conversation, box; Begin anew and the way to a person. */

import { Refused, type Met, type WidgetApi } from "./contract";
import { el, icon, iconButton } from "./dom";
import { webAddress } from "./extras";
import { Talk, type Shown } from "./talk";
import { TurnView } from "./turnView";
import type { Say } from "./words";

const MAX_CHARS = 4000; // the gateway's default; it refuses what is longer in its own words
const NEAR_END_PX = 80;

export interface PanelOptions {
  readonly api: WidgetApi;
  readonly met: Met;
  readonly say: Say;
  /** Null: it has no way to close (it stands inside a page). */
  readonly onClose: (() => void) | null;
  readonly onEnd?: ((turnId: string) => void) | undefined;
}

export class Panel {
  readonly element: HTMLElement;
  readonly talk: Talk;
  private readonly log = el("div", { class: "log", role: "log", "aria-live": "off", tabindex: 0, "data-part": "log" });
  private readonly heard = el("p", { class: "heard", role: "status", "data-part": "status" });
  private readonly strip = el("div", { class: "strip", hidden: true, "data-part": "strip" });
  private readonly box: HTMLTextAreaElement;
  private readonly send: HTMLButtonElement;
  private readonly greeting: HTMLElement;
  private readonly views = new Map<string, TurnView>();
  private isLoaded = false;
  private timer = 0;
  private said = "";

  constructor(private readonly options: PanelOptions) {
    const { api, met, say, onClose } = options;
    this.talk = new Talk(api, () => met.keeps);
    this.talk.onChange = () => this.later();
    this.talk.onEnd = (turn) => this.ended(turn);
    this.log.setAttribute("aria-label", say("log"));
    this.box = el("textarea", { rows: 1, maxlength: MAX_CHARS, "aria-label": say("askLabel"), placeholder: met.look.placeholder || say("placeholder"), dir: "auto", "data-part": "box" });
    this.send = el("button", { type: "submit", class: "send", "data-part": "send" });
    this.greeting = el("p", { class: "greeting", dir: "auto" }, met.look.greeting || say("greeting"));
    const form = el("form", { class: "box" }, this.box, this.send);
    const head = [
      el("h2", { id: "name", dir: "auto" }, met.name),
      ...(met.handover === "none" ? [] : [iconButton("person", say("person"), () => this.askForPerson(), { "data-part": "person" })]),
      iconButton("reset", say("reset"), () => this.askReset(), { "data-part": "reset" }),
      ...(onClose ? [iconButton("close", say("close"), onClose, { "data-part": "close" })] : []),
    ];
    this.element = el(
      "div",
      { class: "panel", role: onClose ? "dialog" : "group", "aria-labelledby": "name", id: "panel", "data-part": "panel" },
      el("div", { class: "head" }, ...head),
      this.log,
      this.strip,
      form,
      this.heard,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.pressed();
    });
    this.box.addEventListener("input", () => this.fit());
    this.box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      if (!this.talk.running) this.pressed();
    });
    this.element.addEventListener("keydown", (event) => {
      // Esc: the card first, then the question that is asked, then the dialog.
      if (event.key !== "Escape" || event.defaultPrevented) return;
      const hadCard = [...this.views.values()].some((view) => view.closeCard(true));
      const hadStrip = !hadCard && !this.strip.hidden;
      if (hadStrip) this.hideStrip();
      else if (!hadCard) onClose?.();
      event.stopPropagation();
      event.preventDefault();
    });
    this.log.append(this.greeting);
    this.show();
  }

  /** Called when it is seen; the first time the stored conversation is fetched. */
  opened(): void {
    this.box.focus();
    if (this.isLoaded) return;
    this.isLoaded = true;
    this.guard(this.talk.load());
  }

  private pressed(): void {
    if (this.talk.running) return this.guard(this.talk.stop());
    const question = this.box.value.trim();
    if (question) this.ask(question);
  }

  private ask(question: string): void {
    this.hideStrip();
    this.box.value = "";
    this.fit();
    this.talk.ask(question).catch((error: unknown) => {
      if (this.box.value === "") this.box.value = question; // nothing typed is lost
      this.fit();
      this.trouble(error);
    });
    this.log.scrollTop = this.log.scrollHeight;
  }

  private fit(): void {
    this.box.rows = Math.min(6, this.box.value.split("\n").length);
    this.showSend();
  }

  /** Tokens come faster than a screen shows: drawn at most 20 times a second. */
  private later(): void {
    if (this.timer) return;
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      this.show();
    }, 50);
  }

  private show(): void {
    const { turns } = this.talk;
    const isAtEnd = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < NEAR_END_PX;
    for (const [key, view] of this.views) {
      if (turns.some((turn) => turn.key === key)) continue;
      view.element.remove();
      this.views.delete(key);
    }
    for (const [at, turn] of turns.entries()) {
      const view = this.viewOf(turn);
      view.update(turn);
      const before = this.log.children[at]; // the greeting stands first
      if (before?.nextElementSibling !== view.element) before?.after(view.element);
    }
    if (isAtEnd) this.log.scrollTop = this.log.scrollHeight;
    this.showSend();
    const running = this.talk.running;
    if (running) this.tell(this.options.say(running.isAway ? "away" : running.growing.phase === "searching" ? "searching" : "writing"));
  }

  private viewOf(turn: Shown): TurnView {
    let view = this.views.get(turn.key);
    if (view) return view;
    view = new TurnView(turn.question, this.options.say, {
      rate: (value) => this.guard(this.talk.rate(turn.key, value)),
      again: (question) => this.ask(question),
    });
    this.views.set(turn.key, view);
    return view;
  }

  private showSend(): void {
    const isRunning = this.talk.running !== null;
    const label = this.options.say(isRunning ? "stop" : "send");
    const isDisabled = String(!isRunning && this.box.value.trim() === "");
    if (this.send.getAttribute("aria-label") !== label) {
      this.send.setAttribute("aria-label", label);
      this.send.title = label;
      this.send.replaceChildren(icon(isRunning ? "stop" : "send"));
    }
    this.send.setAttribute("aria-disabled", isDisabled);
  }

  /** Read out by screen readers; the same words are not read twice. */
  private tell(words: string): void {
    if (words === this.said) return;
    this.said = words;
    this.heard.textContent = words;
  }

  private ended(turn: Shown): void {
    this.show();
    const view = this.views.get(turn.key);
    this.tell(view?.element.querySelector("[data-part=answer]")?.textContent ?? "");
    if (turn.ended?.turn_id) this.options.onEnd?.(turn.ended.turn_id);
  }

  private guard(promise: Promise<void>): void {
    promise.catch((error: unknown) => this.trouble(error));
  }

  /** Nobody is answered here: the sentence stands in the place of the box. */
  refuse(error: unknown): void {
    this.box.form?.remove();
    this.greeting.remove();
    this.element.querySelectorAll("[data-part=reset], [data-part=person]").forEach((button) => button.remove());
    this.trouble(error);
  }

  /** A refusal in words, above the box. */
  trouble(error: unknown): void {
    this.hideStrip();
    this.fill(el("p", { class: "trouble", role: "alert", "data-part": "trouble" }, refusalWords(error, this.options.say)));
  }

  private fill(...children: Node[]): void {
    this.strip.replaceChildren(...children);
    this.strip.hidden = false;
  }

  private hideStrip(): void {
    if (this.strip.contains((this.strip.getRootNode() as ShadowRoot).activeElement)) this.box.focus();
    this.strip.hidden = true;
    this.strip.replaceChildren();
  }

  private button(words: string, isPrimary: boolean, onclick: () => void): HTMLButtonElement {
    return el("button", { type: "button", class: isPrimary ? "primary" : "plain", onclick }, words);
  }

  private askReset(): void {
    const { say } = this.options;
    if (this.talk.turns.length === 0) return this.box.focus();
    const yes = this.button(say("resetYes"), true, () => {
      this.guard(
        this.talk.reset().then(() => {
          this.hideStrip();
          this.box.focus();
        }),
      );
    });
    this.fill(el("p", {}, say("resetAsk")), el("div", { class: "ways" }, yes, this.button(say("resetNo"), false, () => this.hideStrip())));
    yes.focus();
  }

  private askForPerson(): void {
    const { api, say, met } = this.options;
    if (met.handover === "link") return this.guard(this.lead("", ""));
    const isNeeded = api.isAnonymous();
    const contact = el("input", { type: "text", autocomplete: "email", maxlength: 254, required: isNeeded, "data-part": "contact" });
    const judge = (): void => contact.setCustomValidity(isReachable(contact.value.trim(), isNeeded) ? "" : say("personHow"));
    contact.addEventListener("input", judge);
    judge();
    const note = el("textarea", { rows: 2, maxlength: 2000 });
    const submit = el("button", { type: "submit", class: "primary" }, say("personSend"));
    const form = el(
      "form",
      { class: "strip-form" },
      el("p", {}, say("personLead")),
      el("label", {}, say(isNeeded ? "personContact" : "personContactFree"), contact),
      el("label", {}, say("personNote"), note),
      el("div", { class: "ways" }, submit, this.button(say("cancel"), false, () => this.hideStrip())),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.guard(this.lead(contact.value.trim(), note.value.trim()));
    });
    this.fill(form);
    contact.focus();
  }

  private async lead(replyTo: string, note: string): Promise<void> {
    const { say, api } = this.options;
    const led = await api.handOver(replyTo, note);
    const to = webAddress(led.to);
    const way = to ? el("a", { href: to, target: "_blank", rel: "noopener noreferrer" }, `${say("personLink")} ${new URL(to).host}`, icon("external", 14)) : null;
    const words = el("p", { role: "status", "data-part": "led" }, ...(way ? [way] : [say(led.queued ? "personSent" : "trial")]));
    this.fill(words, el("div", { class: "ways" }, this.button(say("close"), false, () => this.hideStrip())));
    (way ?? this.strip.querySelector("button"))?.focus();
  }
}

/** Whether a person can answer there: an e-mail address or a phone number as the server judges it (it says no again where it must). */
export function isReachable(given: string, isNeeded: boolean): boolean {
  if (given === "") return !isNeeded;
  if (/^[^@\s,;:<>()[\]\\"?]+@[^@\s,;:<>()[\]\\"?]+\.[^@\s,;:<>()[\]\\"?]+$/.test(given)) return true;
  const digits = given.replace(/\D/g, "").length;
  return given.length <= 40 && digits >= 5 && digits < 22 && /^\+?[0-9(][0-9 ()/.-]*( ?(ext\.?|x) ?[0-9]{1,6})?$/i.test(given);
}

/** The server's own sentence, else ours. */
export function refusalWords(error: unknown, say: Say): string {
  if (!(error instanceof Refused)) return say("offline");
  if (error.code === "site_not_allowed") return say("notHere", { site: location.origin });
  if (error.code === "contact_needed") return say("personHow");
  if (error.code === "visitor_unknown") return say("signedIn");
  if (error.status === 429 && error.retryAfterS) return say("busy", { n: Math.ceil(error.retryAfterS) });
  return error.message || say("offline");
}
