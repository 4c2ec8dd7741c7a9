/** An answer for the clipboard: Markdown with footnotes, and the same as HTML. */

import type { Citation, Use } from "@/shared/api/types";
import type { t as translate } from "@/shared/i18n/i18n";
import { parseLines, type Block } from "../markdown/blocks";
import { linesOf, type Content } from "../markdown/content";
import { inertMarkdown } from "../markdown/inert";
import { parseInline, type Inline } from "../markdown/inline";
import { locator } from "./locator";
import { spotsOf } from "./marks";
import { asRunningText } from "./quote";

type T = typeof translate;

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

function noteOf(citation: Citation, t: T): { place: string; quote: string } {
  const first: Use | undefined = citation.uses.find((use) => use.quote);
  return { place: [citation.source_title, locator(citation, t)].filter(Boolean).join(", "), quote: asRunningText(first?.quote ?? citation.quote ?? "").trim() };
}

/** The answer with `[^n]` for its marks and one footnote a citation: title, locator, quote. Nothing in it is live but the marks. */
export function answerAsMarkdown(answer: string, citations: readonly Citation[], t: T): string {
  const known = new Set(citations.map((citation) => citation.n));
  const keeps = new Map<number, { end: number; as: string }>();
  for (const spot of spotsOf(parseLines(linesOf(answer)))) {
    if (!known.has(spot.n)) continue;
    const before = keeps.get(spot.at)?.as ?? "";
    keeps.set(spot.at, { end: answer.indexOf("]", spot.at) + 1, as: `${before}[^${spot.n}]` });
  }
  const text = inertMarkdown(answer, keeps);
  const notes = citations.map((citation) => {
    const { place, quote } = noteOf(citation, t);
    return `[^${citation.n}]: ${inertMarkdown(place)}${quote ? `: “${inertMarkdown(quote)}”` : ""}`;
  });
  return notes.length > 0 ? `${text.trimEnd()}\n\n${notes.join("\n")}\n` : text;
}

function inlineHtml(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      switch (node.kind) {
        case "strong":
          return `<strong>${inlineHtml(node.children)}</strong>`;
        case "em":
          return `<em>${inlineHtml(node.children)}</em>`;
        case "mark":
          return `<sup>[${node.n}]</sup>`;
        case "break":
          return "<br>";
        case "code":
          return `<code>${escape(node.value)}</code>`;
        default:
          return escape(node.value);
      }
    })
    .join("");
}

const content = (inner: Content): string => inlineHtml(parseInline(inner));
const row = (cells: readonly Content[], tag: "td" | "th"): string => `<tr>${cells.map((cell) => `<${tag}>${content(cell)}</${tag}>`).join("")}</tr>`;

function blockHtml(block: Block): string {
  switch (block.kind) {
    case "paragraph":
      return `<p>${content(block.content)}</p>`;
    case "heading":
      return `<p><strong>${content(block.content)}</strong></p>`;
    case "code":
    case "equation":
      return `<pre>${escape(block.text)}</pre>`;
    case "quote":
      return `<blockquote>${block.blocks.map(blockHtml).join("")}</blockquote>`;
    case "rule":
      return "<hr>";
    case "table":
      return `<table>${row(block.head, "th")}${block.rows.map((cells) => row(cells, "td")).join("")}</table>`;
    case "list": {
      const tag = block.ordered ? "ol" : "ul";
      return `<${tag}>${block.items.map((item) => `<li>${item.blocks.map(blockHtml).join("")}</li>`).join("")}</${tag}>`;
    }
  }
}

/** The HTML twin: every text is escaped, there is no link and no image in it. */
export function answerAsHtml(answer: string, citations: readonly Citation[], t: T): string {
  const body = parseLines(linesOf(answer)).map(blockHtml).join("");
  const notes = citations.map((citation) => {
    const { place, quote } = noteOf(citation, t);
    return `<p><sup>[${citation.n}]</sup> ${escape(place)}${quote ? `: “${escape(quote)}”` : ""}</p>`;
  });
  return notes.length > 0 ? `${body}<hr>${notes.join("")}` : body;
}
