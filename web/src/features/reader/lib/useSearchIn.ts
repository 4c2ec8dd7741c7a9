/** Search inside the open source. */

import { useCallback, useDeferredValue, useMemo, useState } from "react";
import type { At } from "@/features/citations/lib/address";
import { findIn } from "./find";
import type { Goal } from "./goal";
import { useAllPassages } from "./queries";

export interface Finder {
  readonly isOpen: boolean;
  readonly words: string;
  readonly matches: readonly At[];
  /** Index of the match gone to, or -1. */
  readonly at: number;
  readonly isBusy: boolean;
  readonly open: () => void;
  readonly close: () => void;
  readonly write: (words: string) => void;
  readonly step: (step: 1 | -1) => void;
}

export function useSearchIn(sourceId: string, reading: string | null, goTo: (at: At, kind: Goal["kind"]) => void): Finder {
  const [isOpen, setOpen] = useState(false);
  const [words, setWords] = useState("");
  const [gone, setGone] = useState<{ words: string; at: number }>({ words: "", at: -1 });
  const passages = useAllPassages(sourceId, reading, isOpen);
  const wanted = useDeferredValue(words);
  const matches = useMemo(() => (isOpen && wanted.trim().length > 1 ? findIn(passages.data ?? [], wanted) : []), [passages.data, wanted, isOpen]);
  const at = gone.words === wanted ? gone.at : -1;
  const step = useCallback(
    (by: 1 | -1) => {
      if (matches.length === 0) return;
      const to = at < 0 ? (by > 0 ? 0 : matches.length - 1) : (at + by + matches.length) % matches.length;
      const match = matches[to];
      if (!match) return;
      setGone({ words: wanted, at: to });
      goTo(match, "match");
    },
    [matches, at, wanted, goTo],
  );
  return {
    isOpen, words, matches, at, step,
    isBusy: passages.isLoading || wanted !== words,
    open: useCallback(() => setOpen(true), []),
    close: useCallback(() => setOpen(false), []),
    write: setWords,
  };
}
