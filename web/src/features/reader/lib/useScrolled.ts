import { useEffect, useRef, type RefObject } from "react";

/** Calls `look` while the box is scrolled, at most once a frame. */
export function useScrolled(scroller: RefObject<HTMLDivElement | null>, isOn: boolean, look: (box: HTMLDivElement) => void): void {
  const latest = useRef(look);
  useEffect(() => {
    latest.current = look;
  });
  useEffect(() => {
    const box = scroller.current;
    if (!box || !isOn) return;
    let frame = 0;
    const scrolled = (): void => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        latest.current(box);
      });
    };
    box.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      box.removeEventListener("scroll", scrolled);
      cancelAnimationFrame(frame);
    };
  }, [scroller, isOn]);
}
