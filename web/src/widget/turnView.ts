/** One question with its answer, kept in step with what the talk says of it. */

import { cutByUncited, markState, placeStatements, usedAt, type Placed } from "@/features/citations/lib/statements";
import type { Citation } from "@/shared/api/types";
import { AnswerWriter, type MarkMaker } from "./answer";
import { cardOf, verdictSign, verdictWord } from "./card";
import type { Ended } from "./contract";
import { el, iconButton } from "./dom";
import { cardsOf, chipsOf, sourcesOf } from "./extras";
import type { Shown } from "./talk";
import type { Say } from "./words";

export interface TurnDeeds {
  rate(value: 1 | 0 | -1): void;
  again(question: string): void;
}

export class TurnView {
  readonly element: HTMLElement;
  private readonly answer = el("div", { class: "answer", dir: "auto", "data-part": "answer" });
  private readonly stage = el("p", { class: "stage", "data-part": "stage" });
  private readonly foot = el("div", { class: "foot" });
  private readonly writer = new AnswerWriter(this.answer);
  private card: { element: HTMLElement; mark: HTMLElement } | null = null;
  private shown: Shown | null = null;
  private citations: readonly Citation[] = [];
  private statements: readonly Placed[] = [];

  constructor(
    question: string,
    private readonly say: Say,
    private readonly deeds: TurnDeeds,
  ) {
    const asked = el("p", { class: "question", dir: "auto", "data-part": "question" }, el("span", { class: "heard" }, `${say("you")}: `), question);
    this.element = el("div", { class: "turn", "data-part": "turn" }, asked, this.answer, this.stage, this.foot);
  }

  update(shown: Shown): void {
    const before = this.shown;
    if (shown === before) return;
    this.shown = shown;
    const { growing, ended } = shown;
    this.stage.textContent = this.stageWords(shown);
    this.stage.hidden = ended !== null;
    if (!ended) return this.write(growing.text, growing.citations, null);
    if (ended !== before?.ended) {
      this.closeCard(false); // a card that is open would tell the verdict of before
      this.write(ended.answer ?? growing.text, ended.citations, ended);
    }
    if (ended !== before?.ended || shown.rated !== before.rated) this.writeFoot(shown);
  }

  private write(text: string, citations: readonly Citation[], ended: Ended | null): void {
    this.citations = citations;
    this.statements = placeStatements(text, ended?.checks ?? null);
    this.writer.write(text, { mark: this.markMaker(ended !== null), words: (words, at) => this.wordsAt(words, at) }, ended === null);
  }

  private stageWords({ growing, isAway }: Shown): string {
    if (isAway) return this.say("away");
    if (growing.phase === "searching") return this.say("searching");
    if (growing.phase === "reading" && growing.passages) return this.say("reading", { n: growing.passages });
    return this.say(growing.phase === "checking" ? "checking" : "writing");
  }

  /** Words, underlined where a statement names no source; that is said at its end. */
  private wordsAt(text: string, at: number): (Node | string)[] {
    return cutByUncited(at, text.length, this.statements).map(({ from, to, uncited }) => {
      const piece = text.slice(from, to);
      if (!uncited || piece.trim() === "") return piece;
      const end = at + to >= uncited.end ? [el("span", { class: "heard" }, ` (${this.say("uncited")})`)] : [];
      return el("span", { class: "uncited", title: this.say("uncited"), "data-part": "uncited" }, piece, ...end);
    });
  }

  private markMaker(isEnded: boolean): MarkMaker {
    return (n, at) => {
      const citation = this.citations.find((known) => known.n === n);
      if (!citation) return isEnded ? el("s", { class: "mark none", title: this.say("markNone", { n }) }, `[${n}]`) : el("span", { class: "mark" }, String(n));
      const use = usedAt(citation, this.statements, at);
      const state = markState(citation, use, isEnded);
      const sign = verdictSign(state);
      const mark = el(
        "button",
        { type: "button", class: `mark ${state}`, "data-part": "mark", "aria-expanded": "false", "aria-label": this.say("mark", { n, verdict: verdictWord(state, this.say) }), title: verdictWord(state, this.say) },
        String(n),
        ...(sign ? [sign] : []),
      );
      mark.addEventListener("click", () => this.toggle(mark, citation, at, isEnded));
      return mark;
    };
  }

  private toggle(mark: HTMLElement, citation: Citation, at: number, isEnded: boolean): void {
    const isSame = this.card?.mark === mark;
    this.closeCard(isSame);
    if (isSame) return;
    const use = usedAt(citation, this.statements, at);
    const card = cardOf(citation, use, markState(citation, use, isEnded), this.say, () => this.closeCard(true));
    let block: Element = mark;
    while (block.parentElement && block.parentElement !== this.answer) block = block.parentElement;
    block.after(card);
    mark.setAttribute("aria-expanded", "true");
    this.card = { element: card, mark };
    card.focus({ preventScroll: true });
    card.scrollIntoView({ block: "nearest" });
  }

  /** True when one was open. */
  closeCard(givesFocus: boolean): boolean {
    const card = this.card;
    if (!card) return false;
    this.card = null;
    card.element.remove();
    card.mark.setAttribute("aria-expanded", "false");
    if (givesFocus) card.mark.focus();
    return true;
  }

  private writeFoot(shown: Shown): void {
    const ended = shown.ended;
    if (!ended) return;
    const { say } = this;
    const message = shown.growing.error?.message;
    const note = ended.finish === "stopped" ? say("stopped") : ended.finish === "broken" ? message || say("broken") : "";
    const again = el("button", { type: "button", class: "plain small", onclick: () => this.deeds.again(shown.question) }, say("again"));
    const thumb = (value: 1 | -1): HTMLElement =>
      iconButton(value === 1 ? "up" : "down", say(value === 1 ? "up" : "down"), () => this.deeds.rate(shown.rated === value ? 0 : value), { "aria-pressed": String(shown.rated === value) });
    const focused = this.foot.getRootNode() instanceof ShadowRoot ? (this.foot.getRootNode() as ShadowRoot).activeElement?.getAttribute("aria-label") : null;
    this.foot.replaceChildren(
      ...(this.statements.some((one) => one.status === "uncited") ? [el("p", { class: "quiet" }, el("span", { class: "uncited" }, say("uncitedSign")), `: ${say("uncitedWhy")}`)] : []),
      ...chipsOf(ended, say),
      ...cardsOf(ended, say),
      ...sourcesOf(ended, say),
      ...(note ? [el("p", { class: "note" }, `${note} `, again)] : []),
      ...(ended.turn_id && ended.finish === "complete" ? [el("div", { class: "thumbs" }, thumb(1), thumb(-1), el("span", { class: "quiet" }, shown.rated ? say("thanks") : ""))] : []),
    );
    if (focused) [...this.foot.querySelectorAll("button")].find((button) => button.getAttribute("aria-label") === focused)?.focus();
  }
}
