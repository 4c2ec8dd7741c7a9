/** Groups of conversations by the day they were last used. */

import type { Conversation } from "@/shared/api/types";

export type Age = "today" | "week" | "earlier";

function ageOf(talk: Conversation, now: Date): Age {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const used = new Date(talk.updated_at).getTime();
  if (used >= midnight) return "today";
  return used >= midnight - 6 * 86_400_000 ? "week" : "earlier";
}

/** The groups that have members, the newest conversation first. */
export function groupByAge(talks: readonly Conversation[], now: Date): readonly (readonly [Age, readonly Conversation[]])[] {
  const sorted = [...talks].sort((a, b) => b.updated_at.localeCompare(a.updated_at));
  return (["today", "week", "earlier"] as const)
    .map((age) => [age, sorted.filter((talk) => ageOf(talk, now) === age)] as const)
    .filter(([, members]) => members.length > 0);
}
