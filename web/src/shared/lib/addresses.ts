/** Every address of the page, built in one place; chat and reader add theirs for ranges. */

export const HOME = "/";
export const FIND = "/find";
export const LIBRARY = "/library";
export const ASSISTANTS = "/assistants";
export const USAGE = "/usage";
export const SETTINGS = "/settings";
export const MODELS = "/admin/models";
export const HEALTH = "/admin/health";
export const SIGN_IN = "/sign-in";

export function workspaceAddress(notebookId: string, conversationId?: string | null): string {
  return conversationId ? `/n/${notebookId}/c/${conversationId}` : `/n/${notebookId}`;
}

/** A source opened from its row, at its start; chat and reader build addresses of ranges themselves. */
export function sourceAddress(notebookId: string, sourceId: string, conversationId?: string | null): string {
  const beside = conversationId ? `?c=${encodeURIComponent(conversationId)}` : "";
  return `/n/${notebookId}/s/${sourceId}${beside}`;
}

/** A note of a notebook, with the conversation that stands beside it. */
export function noteAddress(notebookId: string, noteId: string, conversationId?: string | null): string {
  const beside = conversationId ? `?c=${encodeURIComponent(conversationId)}` : "";
  return `/n/${notebookId}/notes/${noteId}${beside}`;
}

/** The search, in one notebook or in all of mine. */
export function findAddress(notebookId?: string | null, words = ""): string {
  const query = new URLSearchParams();
  if (words) query.set("q", words);
  if (notebookId) query.set("n", notebookId);
  const text = query.toString();
  return text ? `${FIND}?${text}` : FIND;
}

/** What was asked in a notebook and not answered, and its test questions. */
export function questionsAddress(notebookId: string): string {
  return `/n/${notebookId}/questions`;
}
