// Holds the size budget of the built page in dist/ (or in the folder DIST; gzip): first load 190 kB script and 14 kB style, every later piece 45 kB, the widget 30 kB.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const dist = process.env.DIST ?? "dist";
const FIRST_JS = 190_000;
const FIRST_CSS = 14_000;
const PIECE = 45_000;
const WIDGET = 30_000;
const EQUATIONS = 80_000; // loaded only when an answer has one
const manifest = JSON.parse(readFileSync(`${dist}/.vite/manifest.json`, "utf8"));
const size = (file) => gzipSync(readFileSync(`${dist}/${file}`), { level: 9 }).length;

/** Every chunk that loading `key` pulls in before it can run. */
function closure(key, seen = new Set()) {
  if (seen.has(key)) return seen;
  seen.add(key);
  for (const next of manifest[key].imports ?? []) closure(next, seen);
  return seen;
}
const weigh = (keys) => ({
  js: keys.reduce((sum, key) => sum + size(manifest[key].file), 0),
  css: [...new Set(keys.flatMap((key) => manifest[key].css ?? []))].reduce((sum, file) => sum + size(file), 0),
});

// What the workspace, the heaviest first page, loads: the entry, its screen, the chat and one catalogue of words.
const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
const first = closure(entry);
for (const key of Object.keys(manifest)) {
  if (/app\/Workspace|i18n\/en\/catalogue/.test(manifest[key].src ?? "")) closure(key, first);
}
const faults = [];
const total = weigh([...first]);
console.log(`first load: ${total.js} B script, ${total.css} B style`);
if (total.js > FIRST_JS) faults.push(`first load script ${total.js} > ${FIRST_JS}`);
if (total.css > FIRST_CSS) faults.push(`first load style ${total.css} > ${FIRST_CSS}`);
for (const key of Object.keys(manifest)) {
  if (!manifest[key].isDynamicEntry || first.has(key)) continue;
  const piece = weigh([...closure(key)].filter((part) => !first.has(part)));
  console.log(`${key}: ${piece.js} B script, ${piece.css} B style`);
  const limit = key.endsWith("Equation.tsx") ? EQUATIONS : PIECE;
  if (piece.js + piece.css > limit) faults.push(`${key} ${piece.js + piece.css} > ${limit}`);
}
const widget = size("widget.js");
console.log(`widget: ${widget} B`);
if (widget > WIDGET) faults.push(`widget ${widget} > ${WIDGET}`);
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exit(1);
}
