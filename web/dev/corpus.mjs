// Texts of the stand-in's sources: passages that tile them, word boxes and a drawn page for the kinds that have pages.

import { ofKind, scanPicture, scanWords } from "./kinds.mjs";

const FILLER = [
  "The municipalities were grouped by population, density and share of arterial roads before the comparison began.",
  "Counts were taken at fixed stations and checked by hand on four days in each season.",
  "Where a station was moved, its series was cut and treated as two shorter ones.",
  "Weather, holidays and road works were noted and the affected days left out of the first model.",
  "A second model kept these days and gave the same order of results, with wider intervals.",
  "The interviews were held in the language of the household and translated twice.",
  "No station reported for the whole period; the median series had ninety-one months.",
  "The authors thank the road offices of the twelve regions for access to their registers.",
];
export const KEY = [
  "After the limit was lowered to 30 km/h, the share of fatal pedestrian injuries fell by 41 percent in the treated towns.",
  "The effect was largest on streets with more than 8,000 vehicles a day and may be smaller where enforcement is rare.",
  "Average travel time rose by 2.1 minutes on trips of 5 kilometres.",
  "In 2019 the council voted 34 to 21 to extend the zone to the inner ring.",
];

const points = (text) => Array.from(text).length;
const cache = new Map();

/** Passages of a source, as /passages gives them. */
export function passagesOf(source) {
  const known = cache.get(source.id);
  if (known) return known;
  const list = ofKind(source) ?? (source.kind === "pdf" ? pages(source) : sections(source));
  let offset = 0;
  for (const passage of list) {
    passage.offset = offset;
    offset += points(passage.text);
  }
  cache.set(source.id, list);
  return list;
}

function pages(source) {
  return Array.from({ length: source.pages ?? 6 }, (_, at) => {
    const page = at + 1;
    const head = page === 1 ? `${source.title}\n\n` : `${Math.ceil(page / 4)}.${page % 4 || 4} Measures and results\n\n`;
    const body = Array.from({ length: 9 }, (_, line) => FILLER[(page * 3 + line * 5) % FILLER.length]);
    if (page % 5 === 2) body.splice(3, 0, ...KEY);
    return { passage: at, page, heading: page > 1 ? "Measures > Speed limits" : null, text: `${head}${body.join(" ")}\n\n${page}\n` };
  });
}

function sections(source) {
  const emoji = source.kind === "text" ? "😀🦊 e\u0301 " : "";
  const names = ["Overview", "What was measured", "Results", "Limits of the study", "Sources"];
  return names.map((name, at) => {
    const body = Array.from({ length: 14 }, (_, line) => FILLER[(at * 7 + line * 3) % FILLER.length]);
    if (at === 2) body.splice(4, 0, ...KEY);
    const text = `${at === 0 ? `# ${source.title}\n\n` : ""}${source.kind === "markdown" || at > 0 ? `## ${name}\n\n` : ""}${emoji}${body.slice(0, 7).join(" ")}\n\n${body.slice(7).join(" ")}\n\n`;
    return { passage: at, page: null, heading: name, text };
  });
}

const WIDTH = 595;
const HEIGHT = 842;

/** Words of a page with boxes in 0..1, laid out in one column. */
export function wordsOf(passage, source) {
  if (passage.method === "vision") return scanWords(source, passage);
  const items = [];
  let x = 64;
  let y = 84;
  let at = 0;
  for (const match of passage.text.matchAll(/\S+|\n\n/gu)) {
    const word = match[0];
    const start = points(passage.text.slice(0, match.index));
    at = match.index + word.length;
    if (word === "\n\n") {
      x = 64;
      y += 30;
      continue;
    }
    const width = points(word) * 5.4;
    if (x + width > WIDTH - 64) {
      x = 64;
      y += 18;
    }
    items.push({ text: word, start, end: start + points(word), x0: x / WIDTH, y0: y / HEIGHT, x1: (x + width) / WIDTH, y1: (y + 13) / HEIGHT });
    x += width + 5;
  }
  void at;
  return { page: passage.page, width: WIDTH, height: HEIGHT, passage: passage.passage, items };
}

/** Rectangles of a range, one a line. */
export function boxesOf(passage, start, end, source) {
  const rows = new Map();
  for (const word of wordsOf(passage, source).items) {
    if (word.end <= start || word.start >= end) continue;
    const row = rows.get(word.y0);
    if (row) row.x1 = word.x1;
    else rows.set(word.y0, { x0: word.x0, y0: word.y0, x1: word.x1, y1: word.y1 });
  }
  return [...rows.values()];
}

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** The page as a picture: drawn from the same words, so that boxes and picture agree. */
export function pictureOf(passage, source) {
  if (passage.method === "vision") return scanPicture(source, passage);
  const words = wordsOf(passage).items.map(
    (word) => `<text x="${word.x0 * WIDTH}" y="${word.y1 * HEIGHT - 3}" textLength="${(word.x1 - word.x0) * WIDTH}" lengthAdjust="spacingAndGlyphs">${escape(word.text)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH * 2}" height="${HEIGHT * 2}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="Liberation Serif, serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>${words.join("")}</svg>`;
}

/** A passage of `source` that holds `sentence`, with the range of it. */
export function find(source, sentence) {
  for (const passage of passagesOf(source)) {
    const unit = passage.text.indexOf(sentence);
    if (unit < 0) continue;
    const start = points(passage.text.slice(0, unit));
    const before = /[^.!?]*[.!?]\s*$/.exec(passage.text.slice(0, unit))?.[0].trim() ?? "";
    const after = /^\s*[^.!?]*[.!?]/.exec(passage.text.slice(unit + sentence.length))?.[0].trim() ?? "";
    return { passage, start, end: start + points(sentence), context: { before, after } };
  }
  throw new Error(`no passage has: ${sentence}`);
}
