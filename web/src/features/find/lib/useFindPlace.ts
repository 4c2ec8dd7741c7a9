/** The field and the address keep step: what is typed is searched for after a pause, and Back leads through the searches. */

import { useCallback, useEffect, useRef, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { addressOf, findPlace, isWorthIt, type FindPlace } from "./place";

const PAUSE_MS = 350;

export interface Finding {
  readonly place: FindPlace;
  readonly typed: string;
  readonly type: (words: string, isComposing: boolean) => void;
  /** Search now; what is typed next is a search of its own in the history. */
  readonly commit: () => void;
  readonly setAll: (isAll: boolean) => void;
}

export function useFindPlace(): Finding {
  const search = useSearch();
  const [, go] = useLocation();
  const place = findPlace(search);
  const { words } = place;
  const [typed, setTyped] = useState(words);
  const [known, setKnown] = useState(words);
  const [isComposing, setComposing] = useState(false);
  // A search that was come to, or back to, is not written over.
  const isCommitted = useRef(words !== "");
  if (known !== words) {
    // Back, forward or a link: what we wrote into the address ourselves is known already.
    setKnown(words);
    setTyped(words);
  }
  const settle = useCallback(
    (next: string) => {
      const now = findPlace(search);
      if (next === now.words) return;
      setKnown(next);
      go(addressOf({ ...now, words: next }), { replace: !isCommitted.current });
      isCommitted.current = false;
    },
    [go, search],
  );
  useEffect(() => {
    const next = typed.trim();
    if (isComposing || next === words || (next !== "" && !isWorthIt(next))) return;
    const timer = setTimeout(() => settle(next), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, words, isComposing, settle]);
  return {
    place,
    typed,
    type: useCallback((next, composing) => {
      setTyped(next);
      setComposing(composing);
    }, []),
    commit: useCallback(() => {
      settle(typed.trim());
      isCommitted.current = true;
    }, [settle, typed]),
    setAll: useCallback((isAll) => go(addressOf({ ...findPlace(search), isAll }), { replace: true }), [go, search]),
  };
}
