/** The keys of the reader. */

import { useShortcuts } from "@/shared/lib/shortcuts";
import { stepFrom, type Steps } from "./useSteps";
import type { Zoom } from "./useZoom";

export interface ReaderKeys {
  steps: Steps;
  page: number;
  /** 0: the source has no pages. */
  pages: number;
  goToPage: (page: number) => void;
  zoom: Zoom;
  onSearch: () => void;
}

export function useReaderKeys({ steps, page, pages, goToPage, zoom, onSearch }: ReaderKeys): void {
  const step = (by: 1 | -1): void => {
    const to = stepFrom(steps.marks, steps.at, by);
    if (to >= 0) steps.go(to);
  };
  useShortcuts({
    Escape: steps.back,
    Backspace: steps.back,
    "[": () => step(-1),
    "]": () => step(1),
    x: steps.goToDoubt,
    f: onSearch,
    "+": () => zoom.in?.(),
    "=": () => zoom.in?.(),
    "-": () => zoom.out?.(),
  });
  useShortcuts({ PageDown: () => goToPage(Math.min(pages, page + 1)), PageUp: () => goToPage(Math.max(1, page - 1)) }, pages > 0);
}
