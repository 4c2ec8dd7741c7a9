/** Going through the results by keyboard, and coming back to the one that was opened. */

import { useCallback, useEffect, type RefObject } from "react";
import { useShortcuts } from "@/shared/lib/shortcuts";

const KEY = "sourcebook.find.opened";

const rowsIn = (list: HTMLElement | null): HTMLElement[] => [...(list?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];

export interface Rows {
  readonly step: (by: 1 | -1) => void;
  readonly opened: (at: number) => void;
}

/** `isThere`: the results of this address are on the page. */
export function useRows(list: RefObject<HTMLElement | null>, field: RefObject<HTMLInputElement | null>, search: string, isThere: boolean): Rows {
  const step = useCallback(
    (by: 1 | -1) => {
      const rows = rowsIn(list.current);
      const to = rows.indexOf(document.activeElement as HTMLElement) + by;
      if (to < 0) field.current?.focus();
      else rows[Math.min(to, rows.length - 1)]?.focus();
    },
    [list, field],
  );
  useShortcuts({
    j: () => step(1),
    k: () => step(-1),
    "/": () => field.current?.focus(),
  });
  useEffect(() => {
    if (!isThere) return;
    const [at, where] = (sessionStorage.getItem(KEY) ?? "").split(" ", 2);
    sessionStorage.removeItem(KEY);
    if (where === encodeURIComponent(search)) rowsIn(list.current)[Number(at)]?.focus();
  }, [isThere, list, search]);
  const opened = useCallback((at: number) => sessionStorage.setItem(KEY, `${at} ${encodeURIComponent(search)}`), [search]);
  return { step, opened };
}
