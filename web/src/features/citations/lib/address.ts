/** The address of the reader: everything a person could want back is in it. */

import type { Citation, Use } from "@/shared/api/types";

/** A half-open range of code points inside one passage. */
export interface At {
  readonly passage: number;
  readonly start: number;
  readonly end: number;
}

export interface ReaderPlace {
  readonly at: At | null;
  readonly reading: string | null;
  readonly turn: string | null;
  /** Which mark of that answer, counted from 0 in reading order. */
  readonly mark: number | null;
  readonly conversation: string | null;
}

export interface Target extends Partial<ReaderPlace> {
  readonly notebookId: string;
  readonly sourceId: string;
}

/** The reader's address for a source, opened where `target` says. */
export function readerAddress(target: Target): string {
  const query = new URLSearchParams();
  if (target.at) query.set("at", `${target.at.passage}:${target.at.start}-${target.at.end}`);
  if (target.reading) query.set("r", target.reading);
  if (target.turn) query.set("turn", target.turn);
  if (target.mark !== null && target.mark !== undefined) query.set("m", String(target.mark));
  if (target.conversation) query.set("c", target.conversation);
  // Colons need no escape in a query and the address stays readable.
  const text = query.toString().replaceAll("%3A", ":");
  return `/n/${target.notebookId}/s/${target.sourceId}${text ? `?${text}` : ""}`;
}

/** The address of the chat: what Back to the answer leads to. */
export function chatAddress(notebookId: string, conversation: string | null | undefined): string {
  return conversation ? `/n/${notebookId}/c/${conversation}` : `/n/${notebookId}`;
}

/** What the query of a reader's address says; parts that make no sense are null. */
export function readerPlace(search: string): ReaderPlace {
  const query = new URLSearchParams(search);
  const range = /^(\d{1,9}):(\d{1,9})-(\d{1,9})$/.exec(query.get("at") ?? "");
  const [passage, start, end] = (range ?? []).slice(1).map(Number);
  const mark = Number.parseInt(query.get("m") ?? "", 10);
  const isRange = passage !== undefined && start !== undefined && end !== undefined && end >= start;
  return {
    at: isRange ? { passage, start, end } : null,
    reading: query.get("r"),
    turn: query.get("turn"),
    mark: Number.isInteger(mark) && mark >= 0 ? mark : null,
    conversation: query.get("c"),
  };
}

/** The reader's address for a use of a citation. */
export function citedAddress(notebookId: string, citation: Citation, use: Use | null, more: Partial<ReaderPlace>): string {
  return readerAddress({ ...more, notebookId, sourceId: citation.source_id, at: placeOf(citation, use), reading: citation.reading_id });
}

/** Where a use of a citation stands: its quote, or the passage's beginning when none was located. */
function placeOf(citation: Citation, use: Use | null): At {
  const start = use?.start ?? citation.start;
  const end = use?.end ?? citation.end;
  return { passage: citation.passage, start: start ?? 0, end: end ?? start ?? 0 };
}
