/** What an assistant declares to read of host applications, as far as it is shown; the server checks the whole. */

import { ApiError } from "@/shared/api/client";

export interface DeclaredRead {
  readonly name: string;
  readonly address: string;
  readonly fields: readonly string[];
  readonly isTool: boolean;
  readonly isWhatIf: boolean;
}

export interface DeclaredHost {
  readonly name: string;
  readonly withToken: boolean;
  readonly reads: readonly DeclaredRead[];
}

type Row = Record<string, unknown>;
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const rows = (value: unknown): Row[] => (Array.isArray(value) ? value.filter((one): one is Row => typeof one === "object" && one !== null) : []);

function readOf(base: string, row: Row, isWhatIf: boolean): DeclaredRead {
  const fields = Array.isArray(row["fields"]) ? row["fields"].map(String) : [];
  return { name: text(row["label"]) || text(row["name"]), address: base.replace(/\/$/, "") + text(row["path"]), fields, isTool: isWhatIf || row["at_gate"] === false, isWhatIf };
}

export function declaredIn(hosts: unknown): DeclaredHost[] {
  return rows(hosts).map((host) => {
    const base = text(host["base_url"]);
    const reads = [...rows(host["reads"]).map((row) => readOf(base, row, false)), ...rows(host["what_if"]).map((row) => readOf(base, row, true))];
    return { name: text(host["name"]), withToken: host["with_token"] !== false, reads };
  });
}

/** The part that a refusal names ("hosts.0.reads.1.path: …") and why; null for a refusal of something else. */
export function refusedPart(error: unknown): { path: string; why: string } | null {
  if (!(error instanceof ApiError) || error.code !== "invalid_field") return null;
  const found = /\bhosts((?:\.[\w-]+)*): ([^]+)$/.exec(error.message);
  if (!found) return null;
  const [around, why] = [(found[1] ?? "").slice(1), found[2] ?? ""];
  const field = /^`(\w+)`/.exec(why)?.[1]; // "`path` must begin with /" is told of the whole read
  return { path: [around, field].filter(Boolean).join("."), why: around ? `${around}: ${why}` : why };
}

// The database keeps no order of names; people write and read them in this one.
const ORDER = ["name", "label", "description", "base_url", "with_token", "seconds", "max_bytes", "type", "path", "params", "query", "fields", "at", "list", "clean", "notes", "marks", "reads", "what_if"];
const rank = (name: string): number => (ORDER.indexOf(name) + ORDER.length + 1) % (ORDER.length + 1); // names that are not listed come last

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, ordered(inner)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => rank(a) - rank(b)));
}

/** A declaration as text, its names in the order of the documentation. */
export const written = (hosts: unknown): string => JSON.stringify(ordered(hosts), null, 2);

export const EXAMPLE = [
  {
    name: "planner",
    base_url: "https://planner.example.org/api",
    reads: [
      {
        name: "project",
        label: "Project",
        path: "/projects/{project_id}",
        params: { project_id: "uuid" },
        fields: ["name", "description", "result.value"],
      },
    ],
  },
];
