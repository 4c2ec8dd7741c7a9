/** What stands under an answer: sections of a help, how a product expert took the question, sources. */

import { asWords, INTENTS, isOf, MODES, winnerFirst } from "@/features/chat/lib/told";
import type { Ended } from "./contract";
import { placeWords } from "./card";
import { el, icon } from "./dom";
import { plainWords } from "./plainWords";
import type { Say, Word } from "./words";

interface SourceLine {
  n?: number;
  title?: string;
  source_title?: string;
  page?: number | null;
  heading?: string | null;
  excerpt?: string | null;
  quote?: string | null;
  address?: string | null;
}

/** A web address that may become a link; null for all others (`javascript:`, `data:`, half ones). */
export function webAddress(given: string | null | undefined): string | null {
  if (!given || !/^https?:\/\//i.test(given)) return null;
  try {
    const url = new URL(given);
    return url.username === "" && url.password === "" ? url.href : null;
  } catch {
    return null;
  }
}

function titled(title: string, address: string | null | undefined, say: Say): Node {
  const to = webAddress(address);
  if (!to) return document.createTextNode(title);
  return el("a", { href: to, target: "_blank", rel: "noopener noreferrer" }, title, icon("external", 14), el("span", { class: "heard" }, ` (${say("newTab")})`));
}

/** Sections of a help, the winner first and larger, each a way to exactly where it stands (S2-54). */
export function cardsOf(ended: Ended, say: Say): HTMLElement[] {
  const cards = winnerFirst(ended.cards);
  if (cards.length === 0) return [];
  const rows = cards.map((card) =>
    el(
      "li",
      { class: card.is_winner ? "help winner" : "help", dir: "auto" },
      el("p", { class: "help-title" }, titled(card.title, card.address, say)),
      ...(card.heading && card.heading !== card.title ? [el("p", { class: "quiet" }, card.heading.replaceAll(" > ", " › "))] : []),
      el("p", { class: "preview" }, plainWords(card.preview)),
    ),
  );
  return [el("ol", { class: "helps", "aria-label": say("cards"), "data-part": "cards" }, ...rows)];
}

const LEVELS: Record<string, Word> = { none: "none", low: "low", medium: "medium", high: "high" };

/** How a routed question was taken, what it is about, and how much evidence there was: words, never a percentage. Nothing for other profiles. */
export function chipsOf(ended: Ended, say: Say): HTMLElement[] {
  const { answer_mode: mode, intent, technology } = ended.route ?? {};
  if (!intent || intent === "question") return []; // it was not routed
  const level = LEVELS[ended.coverage ?? ""];
  const taken = isOf(MODES, mode) ? say(`taken_${mode}`) : asWords(mode);
  const wanted = isOf(INTENTS, intent) ? say(`wanted_${intent}`) : asWords(intent);
  const about = typeof technology === "string" && technology ? say("technology", { name: technology }) : "";
  const chips = [taken, intent === mode ? "" : wanted, about, level ? say("evidence", { level: say(level) }) : ""].filter(Boolean);
  return [el("ul", { class: "chips", "data-part": "chips" }, ...chips.map((chip) => el("li", {}, chip)))];
}

function lineOf(line: SourceLine, say: Say): HTMLElement {
  const name = line.title || line.source_title || say("removed");
  const title = [line.n ? String(line.n) : "", name, placeWords(line, name, say)].filter(Boolean).join(" · ");
  const excerpt = line.excerpt || line.quote;
  if (!excerpt) return el("li", { dir: "auto" }, titled(title, line.address, say));
  return el("li", { dir: "auto" }, el("details", {}, el("summary", {}, title), el("p", { class: "excerpt" }, plainWords(excerpt))));
}

/** The sources by number, each opening a short excerpt; where the answer has none, the closest passages. Cards say it themselves. */
export function sourcesOf(ended: Ended, say: Say): HTMLElement[] {
  const used = (ended.sources ?? []) as SourceLine[];
  const closest = used.length === 0 && !ended.cards?.length ? ((ended.closest ?? []) as SourceLine[]).map((line) => ({ ...line, n: 0 })) : [];
  const lines = used.length > 0 ? used : closest;
  if (lines.length === 0) return [];
  const name = say(used.length === 0 ? "closest" : ended.fallback ? "foundNear" : "sources");
  return [el("div", { class: "sources", "data-part": "sources" }, el("p", { class: "quiet" }, name), el("ul", {}, ...lines.map((line) => lineOf(line, say))))];
}
