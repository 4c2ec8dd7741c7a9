/** The text in the box: kept over reloads, given back when a question was refused, never lost to an edit. */

import { useCallback, useState } from "react";
import { draftOf, keepDraft } from "./place";

export interface Draft {
  readonly text: string;
  /** The turn whose question is being edited. */
  readonly replaces: string | null;
  readonly write: (text: string) => void;
  readonly clear: () => void;
  readonly edit: (text: string, replaces: string) => void;
  readonly cancelEdit: () => void;
  /** Puts a text in front of what is there. */
  readonly giveBack: (text: string) => void;
}

export function useDraft(notebookId: string): Draft {
  const [state, setState] = useState({ notebookId, text: draftOf(notebookId), replaces: null as string | null });
  if (state.notebookId !== notebookId) setState({ notebookId, text: draftOf(notebookId), replaces: null });
  const set = useCallback(
    (text: string, replaces: string | null) => {
      keepDraft(notebookId, text);
      setState({ notebookId, text, replaces });
    },
    [notebookId],
  );
  const giveBack = useCallback(
    (text: string) => {
      const there = draftOf(notebookId);
      set(there && there !== text ? `${text}\n${there}` : text, null);
    },
    [notebookId, set],
  );
  return {
    text: state.text,
    replaces: state.replaces,
    write: (text) => set(text, state.replaces),
    clear: () => set("", null),
    edit: set,
    cancelEdit: () => set("", null),
    giveBack,
  };
}
