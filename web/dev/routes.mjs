// Routes of the stand-in that notebooks, sources, models, health and settings use.
import { randomUUID } from "node:crypto";
import { bookOf, books, hint, listeners, play, reset, source, sourceOf, state } from "./state.mjs";

const view = (book) => {
  const { sources, sites, ...rest } = book;
  const count = (...statuses) => sources.filter((row) => statuses.includes(row.status)).length;
  return { ...rest, source_counts: { total: sources.length, ready: count("ready"), working: count("queued", "reading", "indexing"), failed: count("failed") } };
};
const stamp = () => new Date().toISOString();
const toTrash = (kind, row, back) => {
  const item = { kind, id: row.id, title: row.title, deleted_at: stamp(), purge_at: new Date(Date.now() + 14 * 864e5).toISOString() };
  state.trash.push({ item, back });
};
const restore = (id) => {
  const at = state.trash.findIndex((entry) => entry.item.id === id);
  if (at >= 0) state.trash.splice(at, 1)[0].back();
};
const siteOf = (id) => books().flatMap((book) => book.sites ?? []).find((site) => site.id === id);
const homeOf = (id) => books().find((book) => book.sources.some((row) => row.id === id));

const KINDS = { pdf: ["pdf", "application/pdf"], md: ["markdown", "text/markdown"], docx: ["office", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"], csv: ["office", "text/csv"], png: ["image", "image/png"], jpg: ["image", "image/jpeg"], mp3: ["audio", "audio/mpeg"] };
const kindOf = (name) => {
  const [kind, media_type] = KINDS[name.split(".").pop().toLowerCase()] ?? ["text", "text/plain"];
  return { kind, media_type };
};

async function addFiles({ body, give, fail, params }) {
  const book = bookOf(params.id);
  if (!(body instanceof FormData)) {
    const row = body.url
      ? source({ title: body.url, url: body.url, kind: "url", byte_size: 0, created_at: stamp() })
      : source({ title: body.title || body.text.slice(0, 60), kind: body.format === "markdown" ? "markdown" : "text", byte_size: body.text.length, created_at: stamp() });
    book.sources.unshift(row);
    play(book, row, 2);
    return give({ items: [{ source: row }] }, 202);
  }
  const items = body.getAll("file").map((file) => {
    if (/\.(exe|rar|7z|doc)$/i.test(file.name)) return { name: file.name, error: { code: "unsupported_kind", message: `${file.name} cannot be read here: it is an archive; unpack it or use zip.` } };
    if (file.size === 0) return { name: file.name, error: { code: "empty_file", message: `${file.name} is empty.` } };
    const row = source({ title: file.name.replace(/\.\w+$/, ""), file_name: file.name, ...kindOf(file.name), capture: body.get("capture") ?? "auto", byte_size: file.size, created_at: stamp() });
    book.sources.unshift(row);
    play(book, row, 8);
    return { source: row };
  });
  const refused = items.filter((item) => item.error);
  if (refused.length === items.length) return fail(refused[0].error.code === "empty_file" ? 422 : 415, refused[0].error.code, refused[0].error.message);
  return give({ items }, refused.length ? 207 : 202);
}

const HEALTH = () => ({
  items: [
    { name: "database", state: "good", since: stamp(), what: null, next: null },
    { name: "queue_bell", state: "slow", since: stamp(), what: "Answers to a ping took 0.8 s.", next: "Work goes on, up to a second later than usual." },
    { name: "storage", state: "good", since: stamp(), what: null, next: null },
    { name: "chat", state: "off", since: null, what: "No writing model is connected.", next: "Connect one under Models; until then answers are quotes." },
    { name: "embedding", state: "good", since: stamp(), what: null, next: null },
    { name: "workers_ingest", state: state.workersAway ? "away" : "good", since: stamp(), what: state.workersAway ? "No reader has been seen for 2 min." : null, next: state.workersAway ? "Look at the log ingest.log; the supervisor starts it again." : null },
    { name: "workers_rag", state: "good", since: stamp(), what: null, next: null },
  ],
  queues: [{ queue: "answer", waiting: 0, oldest_s: null, running: 0 }, { queue: "ingest", waiting: 4, oldest_s: 73, running: 1 }, { queue: "care", waiting: 1, oldest_s: 4, running: 0 }],
  failed: [{ job_id: randomUUID(), kind: "ReadSource", source_id: null, file: "Scanned minutes 1987.pdf", stage: "reading", attempts: 5, error: { code: "gave_up", message: "The reader crashed five times on page 7." } }],
  workers: [], disk: { free_bytes: 182e9, total_bytes: 494e9 }, version: "0.1.0", last_backup_at: null,
});

export const routes = [
  ["POST", "/dev/scene", ({ body, give }) => (body.scene ? reset(body.scene) : Object.assign(state, body), give({}))],
  ["GET", "/me", ({ give }) => give(state.me, 200, { "Set-Cookie": "sourcebook_csrf=x; Path=/" })],
  ["PATCH", "/me", ({ body, give }) => (Object.assign(state.me.preferences, body.preferences ?? body), give(state.me, 200, { "Set-Cookie": `sourcebook_theme=${state.me.preferences.theme}; Path=/` }))],
  ["POST", "/auth/login", ({ body, give, fail }) => (body.token === "owner" ? ((state.signedOut = false), give({})) : fail(401, "wrong_token", "This token is not known here."))],
  ["POST", "/auth/logout", ({ give }) => ((state.signedOut = true), give(undefined, 204))],
  ["GET", "/notebooks", ({ give }) => give({ items: books().map(view), next_cursor: null })],
  ["POST", "/notebooks", ({ body, give }) => {
    const book = { id: randomUUID(), title: body.title ?? "Untitled notebook", profile: "notebook", role: "owner", created_at: stamp(), updated_at: stamp(), last_asked_at: null, recipe: {}, local_only: false, captions: false, stale: 0, reindexing: false, wanted_recipe: null, is_sample: false, sources: [] };
    books().unshift(book);
    give(view(book), 201);
  }],
  ["GET", "/notebooks/:id", ({ params, give, fail }) => (bookOf(params.id) ? give(view(bookOf(params.id))) : fail(404, "not_found", "There is no such notebook."))],
  ["PATCH", "/notebooks/:id", ({ params, body, give }) => (Object.assign(bookOf(params.id), body, body.settings), give(view(bookOf(params.id))))],
  ["DELETE", "/notebooks/:id", ({ params, give }) => {
    const book = bookOf(params.id);
    state.books = books().filter((other) => other !== book);
    toTrash("notebook", book, () => state.books.unshift(book));
    give(undefined, 204);
  }],
  ["POST", "/notebooks/:id/restore", ({ params, give }) => (restore(params.id), give({}))],
  ["GET", "/trash", ({ give }) => give({ items: state.trash.map((entry) => entry.item) })],
  ["DELETE", "/trash/:id", ({ params, give }) => ((state.trash = state.trash.filter((entry) => entry.item.id !== params.id)), give(undefined, 204))],
  ["GET", "/notebooks/:id/sources", ({ params, give }) => give({ items: bookOf(params.id)?.sources ?? [], next_cursor: null })],
  ["POST", "/notebooks/:id/sources", addFiles],
  ["PUT", "/notebooks/:id/sources/:source", ({ params, body, give }) => {
    const row = sourceOf(params.source);
    const book = bookOf(params.id);
    if (!book.sources.some((other) => other.id === row.id)) book.sources.unshift({ ...row, grant: "given" });
    else row.grant = body.grant;
    hint("source", { id: row.id, notebook_ids: [book.id] });
    give(row);
  }],
  ["DELETE", "/notebooks/:id/sources/:source", ({ params, give }) => {
    const book = bookOf(params.id);
    book.sources = book.sources.filter((row) => row.id !== params.source);
    give(undefined, 204);
  }],
  ["GET", "/sources", ({ give }) => give({ items: books().flatMap((book) => book.sources).map((row) => ({ ...row, notebooks: 1 })), next_cursor: null })],
  ["GET", "/sources/:id", ({ params, give, fail }) => (sourceOf(params.id) ? give(sourceOf(params.id)) : fail(404, "not_found", "There is no such source."))],
  ["PATCH", "/sources/:id", ({ params, body, give }) => (Object.assign(sourceOf(params.id), body), give(sourceOf(params.id)))],
  ["DELETE", "/sources/:id", ({ params, give }) => {
    const row = sourceOf(params.id);
    const book = homeOf(params.id);
    const at = book.sources.indexOf(row);
    book.sources.splice(at, 1);
    toTrash("source", row, () => book.sources.splice(at, 0, row));
    give(undefined, 204);
  }],
  ["POST", "/sources/:id/restore", ({ params, give }) => (restore(params.id), give({}))],
  ["POST", "/sources/:id/retry", ({ params, body, give }) => {
    const row = sourceOf(params.id);
    if (row.error?.code === "password_protected" && body.password !== "secret") Object.assign(row, { error: { code: "password_protected", message: "That password does not open the file." }, updated_at: stamp() });
    else Object.assign(row, { error: null }), play(homeOf(row.id), row, 6);
    hint("source", { id: row.id, notebook_ids: [homeOf(row.id).id] });
    give(row, 202);
  }],
  ["POST", "/sources/:id/reread", ({ params, give }) => (play(homeOf(params.id), sourceOf(params.id), 6), give(sourceOf(params.id), 202))],
  ["POST", "/sources/:id/stop", ({ params, give }) => (Object.assign(sourceOf(params.id), { status: "stopped", progress: null }), give(sourceOf(params.id), 202))],
  ["POST", "/sources/:id/approve", ({ params, body, give }) => {
    const row = sourceOf(params.id);
    Object.assign(row, { approved: body.pages, estimate: null });
    play(homeOf(row.id), row, 6);
    give(row, 202);
  }],
  ["GET", "/notebooks/:id/estimate", ({ params, give }) => {
    const items = bookOf(params.id).sources.filter((row) => row.status === "needs_approval").map((row) => ({ source_id: row.id, ...row.estimate }));
    const sum = (name) => items.reduce((total, item) => total + Number(item[name]), 0);
    give({ items, pages: sum("pages"), calls: sum("calls"), cost: sum("cost").toFixed(2), currency: "EUR" });
  }],
  ["POST", "/notebooks/:id/reindex", ({ params, give }) => {
    const book = bookOf(params.id);
    book.stale = 0;
    for (const row of book.sources.filter((one) => one.stale)) Object.assign(row, { stale: false }), play(book, row, 3);
    give({}, 202);
  }],
  ["GET", "/notebooks/:id/sites", ({ params, give }) => give({ items: bookOf(params.id)?.sites ?? [], next_cursor: null })],
  ["POST", "/notebooks/:id/sites", ({ params, body, give, fail }) => {
    const book = bookOf(params.id);
    if (/refuse/.test(body.url)) return fail(422, "url_not_public", "This address does not lead to a public web page, so it is not fetched.");
    const site = { id: randomUUID(), addresses: null, refresh_hours: null, ...body, status: "looking", error: null, report: null, looked_at: null, look_again_at: null, created_at: stamp() };
    book.sites = [site, ...(book.sites ?? [])];
    setTimeout(() => Object.assign(site, { status: "ready", looked_at: stamp(), report: { found: 3, added: 3, known: 0, again: 0, removed: 0, vanished: 0, refused: {}, items: [] } }), 9000);
    for (const name of ["One", "Two", "Three"]) {
      const row = source({ title: name, kind: "url", media_type: "text/html", url: `${body.url}/${name}`, site_id: site.id, byte_size: 0 });
      book.sources.unshift(row);
      play(book, row, 2);
    }
    give(site, 202);
  }],
  ["PATCH", "/sites/:id", ({ params, body, give }) => give(Object.assign(siteOf(params.id), body))],
  ["DELETE", "/sites/:id", ({ params, give }) => {
    for (const book of books()) book.sites = book.sites?.filter((site) => site.id !== params.id);
    give(undefined, 204);
  }],
  ["POST", "/sites/:id/look", ({ params, give }) => give(Object.assign(siteOf(params.id), { status: "looking" }), 202)],
  ["GET", "/notebooks/:id/conversations", ({ give }) => give({ items: [], next_cursor: null })],
  ["GET", "/admin/models", ({ give }) => give({ items: state.models, found: [{ name: "Ollama", base_url: "http://127.0.0.1:11434/v1", models: ["qwen3:8b", "llama3.2:3b"] }] })],
  ["PUT", "/admin/models/:role", ({ params, body, give }) => {
    const row = state.models.find((item) => item.role === params.role);
    const { api_key, ...rest } = body;
    Object.assign(row, rest, { has_key: row.has_key || Boolean(api_key) });
    give(row);
  }],
  ["POST", "/admin/models/test", ({ body, give }) =>
    setTimeout(() => give(/wrong/.test(body.model ?? "") ? { ok: false, seconds: null, words_per_s: null, cites_right: null, cites_of: null, error: { code: "model_unavailable", message: "The address answered, but it does not know the model." } } : { ok: true, seconds: 0.8, words_per_s: 34, cites_right: 3, cites_of: 3, error: null, rebuild_estimate: body.role === "embedding" ? { chunks: 3400, seconds: 720, cost: "0.12", currency: "EUR" } : null }), 900)],
  ["GET", "/admin/health", ({ give }) => give(HEALTH())],
  ["POST", "/admin/jobs/:id/retry", ({ give }) => give({}, 202)],
  ["GET", "/events", ({ request, response }) => {
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform" });
    response.write("event: hello\ndata: {}\n\n");
    const tell = (event, data) => response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    listeners.add(tell);
    request.on("close", () => listeners.delete(tell));
  }],
];
