/** Which sources a question goes to, and why none can be asked. */

import type { Source } from "@/shared/api/types";
import type { Key } from "@/shared/i18n/i18n";

export interface AskScope {
  /** Null: all of the notebook, nothing is left out. */
  readonly ids: readonly string[] | null;
  readonly count: number;
  readonly reason: Key | null;
}

export function scopeOf(sources: readonly Source[] | undefined, leftOut: ReadonlySet<string>): AskScope {
  if (!sources) return { ids: null, count: 0, reason: null };
  const given = sources.filter((source) => source.grant !== "paused");
  const ticked = given.filter((source) => !leftOut.has(source.id));
  const canAnswer = ticked.filter((source) => source.searchable !== "none");
  const ids = ticked.length < given.length ? ticked.map((source) => source.id) : null;
  return { ids, count: canAnswer.length, reason: whyNot(sources.length, ticked, canAnswer.length) };
}

function whyNot(all: number, ticked: readonly Source[], canAnswer: number): Key | null {
  if (all === 0) return "chat.noSources";
  if (ticked.length === 0) return "chat.noneTicked";
  if (canAnswer > 0) return null;
  return ticked.every((source) => source.status === "failed") ? "chat.noneRead" : "chat.noneReady";
}
