/** The transcript follows what is heard until the person scrolls away; playing from a place, or asking for it, follows again. */

import { useEffect, useLayoutEffect, useState, type RefObject } from "react";
import { bring } from "@/features/citations/lib/bring";

const SCROLLING_KEYS = new Set(["PageUp", "PageDown", "ArrowUp", "ArrowDown", "Home", "End"]);

export function useFollowing(scroller: RefObject<HTMLElement | null>, part: number, isPlaying: boolean): { isFollowing: boolean; follow: () => void } {
  const [isFollowing, setFollowing] = useState(true);
  useEffect(() => {
    const box = scroller.current;
    if (!box || !isPlaying) return;
    const leave = (): void => setFollowing(false);
    const key = (event: KeyboardEvent): void => {
      if (SCROLLING_KEYS.has(event.key)) leave();
    };
    box.addEventListener("wheel", leave, { passive: true });
    box.addEventListener("touchmove", leave, { passive: true });
    box.addEventListener("keydown", key);
    return () => {
      box.removeEventListener("wheel", leave);
      box.removeEventListener("touchmove", leave);
      box.removeEventListener("keydown", key);
    };
  }, [scroller, isPlaying]);
  useLayoutEffect(() => {
    if (!isPlaying || !isFollowing || part < 0) return;
    const heard = scroller.current?.querySelector(`[data-part="${part}"]`);
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (heard) bring(heard, "center", isCalm ? "instant" : "smooth");
  }, [scroller, part, isPlaying, isFollowing]);
  return { isFollowing, follow: () => setFollowing(true) };
}
