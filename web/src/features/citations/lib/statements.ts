/** Which statement a place of the answer belongs to, and which use of a citation a mark stands for. */

import { offsetMap } from "@/shared/lib/codepoints";
import type { Checks, Citation, Statement, Use, Verdict } from "@/shared/api/types";

/** A checked statement with its half-open range in UTF-16 units of the answer. */
export interface Placed {
  readonly index: number;
  readonly start: number;
  readonly end: number;
  /** `yours`: in a note, written or changed by a person. */
  readonly status: Statement["status"] | "yours";
}

/** The statements of an answer in reading order; `index` is their place in `checks.statements`, which uses name. */
export function placeStatements(answer: string, checks: Checks | null): readonly Placed[] {
  if (!checks) return [];
  const map = offsetMap(answer);
  return checks.statements
    .map(({ start, end, status }, index) => ({ index, start: map.toUtf16(start), end: map.toUtf16(end), status }))
    .sort((a, b) => a.start - b.start);
}

/** The statement a mark at `at` answers for: the last one that began before it (marks may stand behind the full stop). */
export function statementAt(statements: readonly Placed[], at: number): Placed | null {
  let found: Placed | null = null;
  for (const statement of statements) {
    if (statement.start > at) break;
    found = statement;
  }
  return found;
}

/** The use of `citation` by the mark at `at`: its statement's, else the first. */
export function usedAt(citation: Citation, statements: readonly Placed[], at: number): Use | null {
  const statement = statementAt(statements, at);
  return citation.uses.find((use) => use.statement === statement?.index) ?? citation.uses[0] ?? null;
}

export type MarkState = Verdict | "removed" | "unknown" | "streaming";

/** What a mark shows: removed wins over its verdict; before the check it is neutral. */
export function markState(citation: Citation | undefined, use: Use | null, isChecked: boolean): MarkState {
  if (!citation) return isChecked ? "unknown" : "streaming";
  if (citation.removed) return "removed";
  if (!isChecked) return "streaming";
  return use?.verdict ?? citation.verdict ?? "not_checked";
}

/** Whether a reader should look again: what *N to check* jumps through. */
export function isDoubtful(state: MarkState): boolean {
  return state === "partly" || state === "number_differs" || state === "not_found";
}

/** A piece of a text, and the statement without a source that it belongs to. */
export interface Cut {
  readonly from: number;
  readonly to: number;
  readonly uncited: Placed | null;
}

/** The pieces of a text of `length` units at `start`, cut where statements without a source, or a person's own, begin and end. */
export function cutByUncited(start: number, length: number, statements: readonly Placed[]): readonly Cut[] {
  const end = start + length;
  const pieces: Cut[] = [];
  let at = start;
  for (const statement of statements) {
    if ((statement.status !== "uncited" && statement.status !== "yours") || statement.end <= at || statement.start >= end) continue;
    const from = Math.max(at, statement.start);
    const to = Math.min(end, statement.end);
    if (from > at) pieces.push({ from: at - start, to: from - start, uncited: null });
    pieces.push({ from: from - start, to: to - start, uncited: statement });
    at = to;
  }
  if (at < end || pieces.length === 0) pieces.push({ from: at - start, to: end - start, uncited: null });
  return pieces;
}
