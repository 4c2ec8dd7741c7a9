/** Remembers where a person was in a conversation: over a reload, and over a visit to the reader. */

const KEY = "sourcebook.place.";

export interface Place {
  readonly top: number;
  /** The mark that the reader was opened from: turn key and mark key. */
  readonly mark?: { readonly turnKey: string; readonly key: string };
}

export function rememberPlace(conversation: string, place: Place): void {
  try {
    sessionStorage.setItem(KEY + conversation, JSON.stringify(place));
  } catch {
    // storage full or forbidden: the place lasts as long as the page
  }
}

export function placeIn(conversation: string): Place | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY + conversation) ?? "null") as Place | null;
  } catch {
    return null;
  }
}

/** The text in the box, kept for this tab so that a reload loses nothing. */
export function draftOf(notebookId: string): string {
  return sessionStorage.getItem(`sourcebook.draft.${notebookId}`) ?? "";
}

export function keepDraft(notebookId: string, text: string): void {
  try {
    if (text) sessionStorage.setItem(`sourcebook.draft.${notebookId}`, text);
    else sessionStorage.removeItem(`sourcebook.draft.${notebookId}`);
  } catch {
    // as above
  }
}
