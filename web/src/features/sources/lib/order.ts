/** Order and filter of the source list. */
import type { Source } from "@/shared/api/types";

export type Sort = "added" | "title" | "status";
export const SORTS: Sort[] = ["added", "title", "status"];

const URGENCY: Record<Source["status"], number> = { failed: 0, needs_approval: 1, paused: 1, stopped: 2, reading: 3, indexing: 3, queued: 4, ready: 5 };

const ORDERS: Record<Sort, (a: Source, b: Source) => number> = {
  added: (a, b) => Date.parse(b.created_at) - Date.parse(a.created_at) || compareTitles(a, b),
  title: compareTitles,
  status: (a, b) => URGENCY[a.status] - URGENCY[b.status] || compareTitles(a, b),
};

function compareTitles(a: Source, b: Source): number {
  return a.title.localeCompare(b.title, undefined, { numeric: true, sensitivity: "base" });
}

/** Sources whose title, file, address, authors or labels hold the query, in the chosen order. */
export function sorted(sources: Source[], sort: Sort, query: string): Source[] {
  const wanted = query.trim().toLowerCase();
  const holds = (row: Source): boolean =>
    [row.title, row.file_name, row.url, ...row.authors, ...row.labels].some((text) => text?.toLowerCase().includes(wanted));
  return (wanted ? sources.filter(holds) : [...sources]).sort(ORDERS[sort]);
}
