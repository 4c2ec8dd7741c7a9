// Routes of the stand-in for tables and recordings, and its notebook with every kind of source.
import { randomUUID } from "node:crypto";
import { passagesOf } from "./corpus.mjs";
import { kinds, sound, tableOf } from "./kinds.mjs";
import { books, sourceOf } from "./state.mjs";

books().push({
  id: "00000000-0000-4000-8000-0000000000aa", title: "Every kind of source", profile: "notebook", role: "owner", created_at: new Date().toISOString(), updated_at: new Date().toISOString(), last_asked_at: null,
  recipe: {}, local_only: false, is_sample: false, sources: kinds().map((row, at) => ({ ...row, id: `00000000-0000-4000-8000-${String(0xb0 + at).padStart(12, "0")}`, reading_id: randomUUID() })),
});

export const routes = [
  ["GET", "/sources/:id/table", ({ params, query, give, fail }) => {
    const row = sourceOf(params.id);
    return row ? give(tableOf(passagesOf(row), query)) : fail(404, "not_found", "There is no such source.");
  }],
  ["GET", "/sources/:id/file", ({ request, response, params }) => {
    const [, first, last] = /bytes=(\d+)-(\d*)/.exec(request.headers.range ?? "") ?? [];
    const from = Number(first ?? 0);
    const { size, end, part } = sound(sourceOf(params.id).duration_ms, from, last ? Number(last) : null);
    response.writeHead(206, { "Content-Type": "audio/wav", "Accept-Ranges": "bytes", "Content-Length": part.length, "Content-Range": `bytes ${from}-${end}/${size}` });
    response.end(part);
  }],
];
