/** "How it was found" is an address: it can be come back to from the reader, reloaded and sent on. */

import { useCallback } from "react";
import { useLocation, useSearch } from "wouter";

const NAME = "why";

interface OpenWhy {
  /** The turn whose search is shown. */
  readonly turnId: string | null;
  readonly open: (turnId: string) => void;
  readonly close: () => void;
}

function withWhy(search: string, turnId: string | null): string {
  const query = new URLSearchParams(search);
  if (turnId) query.set(NAME, turnId);
  else query.delete(NAME);
  const text = query.toString().replaceAll("%3A", ":");
  return text ? `?${text}` : "";
}

export function useWhy(): OpenWhy {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const turnId = new URLSearchParams(search).get(NAME);
  const open = useCallback((id: string) => navigate(`${path}${withWhy(search, id)}`, { state: { whyHere: true } }), [navigate, path, search]);
  const close = useCallback(() => {
    const state = history.state as { whyHere?: boolean } | null;
    if (state?.whyHere) history.back();
    else navigate(`${path}${withWhy(search, null)}`, { replace: true });
    // Opened by an address or come back to from the reader, nothing gives the focus back but this.
    if (turnId) requestAnimationFrame(() => giveFocus(turnId));
  }, [navigate, path, search, turnId]);
  return { turnId, open, close };
}

const TRIES = 20; // frames; going back in the history takes a few

function giveFocus(turnId: string, left = TRIES): void {
  if (document.querySelector("dialog[open]")) {
    if (left > 0) requestAnimationFrame(() => giveFocus(turnId, left - 1));
    return;
  }
  document.querySelector<HTMLElement>(`[data-why="${CSS.escape(turnId)}"]`)?.focus({ preventScroll: true });
}
