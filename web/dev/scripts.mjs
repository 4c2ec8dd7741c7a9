// Scripted answers of the stand-in: every verdict, nothing found, quotes only, hostile text, equations, a very long one.
import { find, KEY } from "./corpus.mjs";
import { SAID } from "./kinds.mjs";

const points = (text) => Array.from(text).length;

/** Makes answer, citations and checks from parts: strings, or {text, cites, status} for a checked statement. */
function build(parts, sources) {
  let answer = "";
  const statements = [];
  const citations = new Map();
  for (const part of parts) {
    if (typeof part === "string") {
      answer += part;
      continue;
    }
    const start = points(answer);
    const marks = (part.cites ?? []).map((cite) => `[${cite.n}]`).join("");
    answer += part.text.replace(/([.!?]?)(\*\*)?$/, `${marks ? ` ${marks}` : ""}$1$2`);
    const index = statements.length;
    statements.push({ start, end: points(answer), cited: (part.cites ?? []).map((cite) => cite.n), status: part.status });
    for (const cite of part.cites ?? []) add(citations, cite, index, part.status, sources);
  }
  const list = [...citations.values()].sort((a, b) => a.n - b.n);
  const found = statements.filter((statement) => statement.status === "found").length;
  const checks = { citations_valid: true, numbers_grounded: true, ungrounded_numbers: [], statements, found, total: statements.length };
  return { answer, citations: list, checks };
}

function add(citations, cite, statement, status, sources) {
  const source = sources[cite.source % sources.length];
  const words = cite.words ?? KEY[cite.quote];
  const place = find(source, words);
  const verdict = cite.verdict ?? status;
  const evidence = { spans: (cite.spans ?? []).map((part) => span(place, words, part)).filter(Boolean), missing: [], numbers: { matched: [], missing: [] }, caution: null, quoted_words_found: null, entailed: null, ...cite.evidence };
  const hasQuote = verdict !== "not_found";
  const use = { statement, quote: hasQuote ? words : null, start: hasQuote ? place.start : null, end: hasQuote ? place.end : null, context: place.context, verdict, evidence };
  const known = citations.get(cite.n);
  if (known) return known.uses.push(use);
  citations.set(cite.n, {
    n: cite.n, source_id: source.id, reading_id: cite.reading ?? source.reading_id, source_title: source.title, kind: source.kind, chunk_id: `chunk-${cite.n}`, passage: place.passage.passage,
    page: place.passage.page, heading: place.passage.heading, ...placesOf(place), similarity: 0.61, removed: cite.removed ?? false, carried: cite.carried ?? false,
    quote: use.quote, start: use.start, end: use.end, verdict, uses: [use],
  });
}

const placesOf = ({ passage, start }) => {
  const row = passage.rows ? passage.rows[0] + Array.from(passage.text).slice(0, start).filter((letter) => letter === "\n").length : null;
  return { sheet: passage.sheet ?? null, rows: row ? [row, row] : null, start_ms: passage.start_ms ?? null, end_ms: passage.end_ms ?? null };
};

function span(place, sentence, words) {
  const unit = sentence.indexOf(words);
  if (unit < 0) return null;
  const from = place.start + points(sentence.slice(0, unit));
  return [from, from + points(words)];
}

const VERDICTS = (sources) =>
  build(
    [
      { text: "Lowering the limit to **30 km/h** cut the share of fatal pedestrian injuries by 41 percent.", status: "found", cites: [{ n: 1, source: 0, quote: 0, spans: ["lowered to 30 km/h", "fatal pedestrian injuries fell by 41 percent"], evidence: { quoted_words_found: true, numbers: { matched: ["30", "41"], missing: [] } } }] },
      " ",
      { text: "The effect is smaller where enforcement is rare.", status: "partly", cites: [{ n: 2, source: 0, quote: 1, spans: ["smaller where enforcement is rare"], evidence: { caution: "may" } }] },
      "\n\nThree things stand out:\n\n1. ",
      { text: "Streets with more than 8,000 vehicles a day gained most, in favour of all groups.", status: "partly", cites: [{ n: 2, source: 0, quote: 1, spans: ["more than 8,000 vehicles a day"], evidence: { missing: ["in favour"], numbers: { matched: ["8,000"], missing: [] } } }] },
      "\n2. ",
      { text: "Travel time rose by 12 minutes on trips of 5 kilometres.", status: "number_differs", cites: [{ n: 3, source: 8, quote: 2, spans: ["travel time rose"], evidence: { numbers: { matched: ["5"], missing: ["12"], passage: ["2.1"] } } }] },
      "\n3. ",
      { text: "Residents welcomed the change from the first day.", status: "not_found", cites: [{ n: 4, source: 4, quote: 0 }] },
      "\n\n",
      { text: "Many towns in Europe have done the same since then.", status: "uncited" },
      " ",
      { text: "The council voted 34 to 21 in 2019 to extend the zone.", status: "found", cites: [{ n: 5, source: 8, quote: 3, spans: ["In 2019", "voted 34 to 21"], evidence: { numbers: { matched: ["2019", "34", "21"], missing: [] } } }, { n: 1, source: 0, quote: 0, verdict: "not_checked" }] },
      " ",
      { text: "An older register said so as well.", status: "not_found", cites: [{ n: 6, source: 1, quote: 0, removed: true, verdict: "not_checked" }] },
    ],
    sources,
  );

const TABLE = (sources) =>
  build(
    [
      "### What was measured\n\nThe two models compare like this:\n\n| Measure | First model | Second model |\n|---|---:|---:|\n| ",
      { text: "Fatal injuries | −41 % | −39 % ", status: "found", cites: [{ n: 1, source: 0, quote: 0 }] },
      " |\n| ",
      { text: "Travel time | +2.1 min | +2.3 min ", status: "found", cites: [{ n: 2, source: 8, quote: 2 }] },
      " |\n\nThe risk ratio is $RR = \\frac{a/(a+b)}{c/(c+d)}$, and the interval follows from\n\n$$\\ln RR \\pm 1.96\\sqrt{\\frac{1}{a}-\\frac{1}{a+b}+\\frac{1}{c}-\\frac{1}{c+d}}$$\n\n> The first model leaves out days with road works.\n\n```python\nrr = (a / (a + b)) / (c / (c + d))  # [1] is no mark here\n```\n\n",
      { text: "Both models agree on the order of results.", status: "found", cites: [{ n: 1, source: 0, quote: 0 }] },
    ],
    sources,
  );

const HOSTILE = (sources) =>
  build(
    [
      '<script>fetch("https://evil.example/x")</script> <img src="https://evil.example/a.png" onerror="alert(1)"> ![pic](https://evil.example/b.png) [click](javascript:alert(1)) <style>body{display:none}</style> <form action="https://evil.example"><button>Send</button></form> https://evil.example/c\n\n',
      { text: "The limit was lowered.", status: "found", cites: [{ n: 1, source: 0, quote: 0 }] },
    ],
    sources,
  );

function long(sources) {
  const parts = [];
  for (let at = 0; at < 60; at += 1) {
    if (at % 6 === 0) parts.push(`## Part ${at / 6 + 1}\n\n`);
    parts.push({ text: `In the ${at + 1}th group of towns the share of fatal pedestrian injuries fell by 41 percent after the limit was lowered to 30 km/h, which the register confirms for each quarter of the period under study, and for every kind of street that was counted there.`, status: at % 7 === 3 ? "partly" : "found", cites: [{ n: (at % 3) + 1, source: [0, 8, 0][at % 3], quote: [0, 3, 1][at % 3] }] });
    parts.push(at % 4 === 3 ? "\n\n- first of the remarks\n- second of the remarks\n\n" : " ");
  }
  return build(parts, sources);
}

/** One statement about each kind of source; the last one cites an earlier reading. */
const KINDS = (sources) => {
  const made = sources.filter((source) => source.meta?.dev);
  const parts = made.flatMap((source, at) => [{ text: `${source.title}: ${SAID[source.meta.dev].replaceAll("\t", ", ").replace(/[.]$/, "")}.`, status: "found", cites: [{ n: at + 1, source: sources.indexOf(source), words: SAID[source.meta.dev], spans: [SAID[source.meta.dev]] }] }, "\n\n"]);
  const old = made.find((source) => source.meta.dev === "letter");
  parts.push({ text: `As it stood before: ${SAID.letter}`, status: "found", cites: [{ n: made.length + 1, source: sources.indexOf(old), words: SAID.letter, reading: "00000000-0000-4000-8000-00000000001d" }] });
  return build(parts, sources);
};

const QUOTES = (sources) => ({
  ...build(
    [
      "**Measures › Speed limits**\n\n",
      { text: `“${KEY[0]}”`, status: "found", cites: [{ n: 1, source: 0, quote: 0, spans: [KEY[0]], evidence: { quoted_words_found: true } }] },
      "\n\n",
      { text: `“${KEY[3]}”`, status: "found", cites: [{ n: 2, source: 8, quote: 3, spans: [KEY[3]], evidence: { quoted_words_found: true } }] },
    ],
    sources,
  ),
  degraded: ["no_chat_model"],
  reply_kind: "clear",
});

const NOTHING = (sources) => {
  const near = build([{ text: "x", status: "found", cites: [{ n: 1, source: 0, quote: 2 }, { n: 2, source: 8, quote: 3 }] }], sources);
  return { answer: "", citations: [], checks: { ...near.checks, statements: [], found: 0, total: 0 }, reply_kind: "none", closest: near.citations };
};

/** The script for a question: its first known word decides. */
export function scriptFor(question, sources) {
  const usable = sources.filter((source) => source.searchable !== "none");
  const all = sources.map((source) => (usable.includes(source) ? source : usable[0]));
  const words = question.toLowerCase();
  const scripts = { nothing: NOTHING, quote: QUOTES, table: TABLE, hostile: HOSTILE, long, kinds: KINDS };
  const found = Object.keys(scripts).find((word) => words.includes(word));
  const script = (found ? scripts[found] : VERDICTS)(all);
  return { degraded: [], reply_kind: "clear", closest: null, ...script };
}
