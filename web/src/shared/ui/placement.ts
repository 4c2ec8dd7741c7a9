/** Puts a floating box beside its anchor, inside the window; by properties, because the policy forbids style attributes. */
import { useLayoutEffect, type RefObject } from "react";

export interface Placement {
  side?: "below" | "above";
  align?: "start" | "end" | "center";
  gap?: number;
}

const EDGE = 8; // px kept free at the window's edge

export function place(anchor: DOMRect, float: HTMLElement, { side = "below", align = "start", gap = 6 }: Placement): void {
  const { offsetWidth: width, offsetHeight: height } = float;
  const below = anchor.bottom + gap;
  const above = anchor.top - gap - height;
  const fitsBelow = below + height <= innerHeight - EDGE;
  const fitsAbove = above >= EDGE;
  const goesBelow = side === "below" ? fitsBelow || !fitsAbove : !fitsAbove;
  const rtl = getComputedStyle(float).direction === "rtl";
  const startX = rtl ? anchor.right - width : anchor.left;
  const endX = rtl ? anchor.left : anchor.right - width;
  const x = align === "center" ? anchor.left + anchor.width / 2 - width / 2 : align === "start" ? startX : endX;
  const top = goesBelow ? below : above;
  float.style.left = `${Math.round(Math.min(Math.max(EDGE, x), Math.max(EDGE, innerWidth - width - EDGE)))}px`;
  float.style.top = `${Math.round(Math.min(Math.max(EDGE, top), Math.max(EDGE, innerHeight - height - EDGE)))}px`;
}

/** Keeps `float` beside `anchor` while `open`, also while the page scrolls or the window changes. */
export function usePlacement(anchor: RefObject<HTMLElement | null>, float: RefObject<HTMLElement | null>, open: boolean, placement: Placement): void {
  const { side, align, gap } = placement;
  useLayoutEffect(() => {
    if (!open) return;
    const box = float.current;
    const update = (): void => {
      if (anchor.current && float.current) place(anchor.current.getBoundingClientRect(), float.current, { side, align, gap });
    };
    update();
    addEventListener("scroll", update, { capture: true, passive: true });
    addEventListener("resize", update);
    return () => {
      removeEventListener("scroll", update, { capture: true });
      removeEventListener("resize", update);
      // A card that becomes a sheet takes its place from its style again.
      box?.style.removeProperty("left");
      box?.style.removeProperty("top");
    };
  }, [anchor, float, open, side, align, gap]);
}
