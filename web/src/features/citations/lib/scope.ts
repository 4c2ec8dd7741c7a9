/** What the marks of one answer need to know; changes with its citations and its check, never with its text. */

import { createContext, useContext } from "react";
import type { Citation } from "@/shared/api/types";
import type { Placed } from "./statements";

export type CardHost = "chat" | "note" | "dialog";

export interface AnswerScope {
  /** Stable name of the answer on the page. */
  readonly turnKey: string;
  readonly turnId: string | null;
  readonly notebookId: string;
  readonly conversationId: string | null;
  readonly citations: readonly Citation[];
  readonly statements: readonly Placed[];
  readonly isChecked: boolean;
  /** The answer is the sources' own sentences: a line end in it is the page's layout, not the writer's. */
  readonly isQuoted: boolean;
  /** Whose card shows this answer's citations: the chat's, or that of a note or a dialog, which may be all that is to be reached. */
  readonly host?: CardHost;
  /** Opens the reader at a mark of this answer. */
  readonly open: (mark: HTMLElement) => void;
}

export const AnswerContext = createContext<AnswerScope | null>(null);

export function useAnswer(): AnswerScope {
  const scope = useContext(AnswerContext);
  if (!scope) throw new Error("a mark stands outside an answer");
  return scope;
}

/** The marks of an answer as they stand on the page, in reading order. */
export function marksOnPage(turnKey: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(`[data-turn="${CSS.escape(turnKey)}"] [data-mark]`)];
}
