// Fails when a source file outgrows its budget: components 150 lines, other modules 300, tests 500.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const over = [];
for (const entry of readdirSync("src", { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.(tsx?|css)$/.test(entry.name) || entry.name === "openapi.ts") continue;
  const file = join(entry.parentPath, entry.name);
  const limit = /\.test\./.test(entry.name) ? 500 : entry.name.endsWith(".tsx") ? 150 : 300;
  const lines = readFileSync(file, "utf8").trimEnd().split("\n").length;
  if (lines > limit) over.push(`${file}: ${lines} lines, budget ${limit}`);
}
if (over.length > 0) {
  console.error(over.join("\n"));
  process.exit(1);
}
