import { useCallback, useSyncExternalStore } from "react";

/** Whether the window matches a media query, kept current. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (tell: () => void) => {
      const list = matchMedia(query);
      list.addEventListener("change", tell);
      return () => list.removeEventListener("change", tell);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}

export const NARROW = "(max-width: 759px)";
export const WIDE = "(min-width: 1200px)";
