// A stand-in for the gateway while the page is built: state in memory, reading played by timers. Never shipped.
//   node dev/server.mjs [port] [scene]      scene: full (default), kinds, none, empty, signedout, noworker, first
// Serves dist/ under the strict policy, and the API for `npm run dev`. Routes of other files: dev/*.routes.mjs.
import { createServer } from "node:http";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";
import { routes as own } from "./routes.mjs";
import { state, reset } from "./state.mjs";

const port = Number(process.argv[2] ?? 8601);
reset(process.argv[3] ?? "full");
const here = import.meta.dirname;
const extra = await Promise.all(
  readdirSync(here).filter((name) => name.endsWith(".routes.mjs")).map(async (name) => (await import(join(here, name))).routes),
);
const routes = [...extra.flat(), ...own].map(([method, path, run]) => {
  const names = [...path.matchAll(/:(\w+)/g)].map((found) => found[1]);
  return { method, names, match: new RegExp(`^${path.replace(/:\w+/g, "([^/]+)").replace(/\./g, "\\.")}$`), run };
});

const POLICY = "default-src 'self'; img-src 'self' blob:; media-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const TYPES = { ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html; charset=utf-8" };

function page(request, response, path) {
  const dist = process.env.DIST ?? join(here, "../dist");
  const asset = join(dist, path);
  const isFile = path !== "/" && existsSync(asset) && extname(asset) in TYPES;
  const theme = /sourcebook_theme=(\w+)/.exec(request.headers.cookie ?? "")?.[1] ?? "system";
  const body = isFile ? readFileSync(asset) : readFileSync(join(dist, "index.html"), "utf8").replace(/data-theme="\w+"/, `data-theme="${theme}"`);
  response.writeHead(200, { "Content-Type": TYPES[isFile ? extname(asset) : ".html"], "Content-Security-Policy": POLICY });
  response.end(body);
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("application/json")) return bytes.length ? JSON.parse(bytes.toString()) : {};
  if (type.startsWith("multipart/")) {
    return new Response(bytes, { headers: { "content-type": type } }).formData();
  }
  return bytes;
}

createServer(async (request, response) => {
  const url = new URL(request.url, "http://x");
  if (!url.pathname.startsWith("/api/v1")) return page(request, response, url.pathname);
  const path = url.pathname.slice(7);
  const fail = (status, code, message, headers = {}) => {
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    response.end(JSON.stringify({ error: { code, message, request_id: "req-7f3a" } }));
  };
  const give = (body, status = 200, headers = {}) => {
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    response.end(body === undefined ? "" : JSON.stringify(body));
  };
  if (state.down && path !== "/dev/scene") return request.socket.destroy();
  if (state.signedOut && !path.startsWith("/auth") && path !== "/dev/scene") return fail(401, "signed_out", "You are not signed in.");
  for (const route of routes) {
    const found = route.method === request.method && route.match.exec(path);
    if (!found) continue;
    const params = Object.fromEntries(route.names.map((name, at) => [name, found[at + 1]]));
    try {
      return await route.run({ request, response, params, query: url.searchParams, body: await bodyOf(request), give, fail });
    } catch (error) {
      console.error(error);
      return fail(500, "internal", "Something went wrong.");
    }
  }
  fail(404, "not_found", "There is no such thing here.");
}).listen(port, "127.0.0.1", () => console.log(`fake gateway on http://127.0.0.1:${port}`));
