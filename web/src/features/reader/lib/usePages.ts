/** The list of pages: how wide they are, which are near the view, going to one, which one is seen. */

import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import { bring } from "@/features/citations/lib/bring";
import { useScrolled } from "./useScrolled";

const PADDING = 32;
const WIDEST = 980;

/** Width of a page that fills the column. */
export function useRoom(scroller: RefObject<HTMLDivElement | null>): number {
  const [free, setFree] = useState(0);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const measure = (): void => setFree(box.clientWidth);
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(box);
    return () => watch.disconnect();
  }, [scroller]);
  return free > 0 ? Math.min(WIDEST, Math.max(200, free - PADDING)) : 0;
}

/** Pages that are in the view or a screen and a half away; the goal's page is always among them. */
export function useNear(list: RefObject<HTMLDivElement | null>, scroller: RefObject<HTMLDivElement | null>, pages: number, width: number, goalPage: number): ReadonlySet<number> {
  const [near, setNear] = useState<ReadonlySet<number>>(() => new Set([goalPage]));
  useEffect(() => {
    if (!list.current || !scroller.current || width === 0) return;
    const watch = new IntersectionObserver(
      (entries) => {
        setNear((known) => {
          const next = new Set(known);
          for (const entry of entries) {
            const page = Number((entry.target as HTMLElement).dataset["page"]);
            if (entry.isIntersecting) next.add(page);
            else next.delete(page);
          }
          return next;
        });
      },
      { root: scroller.current, rootMargin: "150% 0px" },
    );
    for (const page of list.current.children) watch.observe(page);
    return () => watch.disconnect();
  }, [list, scroller, pages, width]);
  return near.has(goalPage) ? near : new Set([...near, goalPage]);
}

/** Brings the goal's page into view; its marked words are centred by the page itself once they are known. */
export function useGoing(list: RefObject<HTMLDivElement | null>, serial: number, page: number, width: number): void {
  const done = useRef("");
  useLayoutEffect(() => {
    const wish = `${serial} ${page}`;
    if (width === 0 || done.current === wish) return;
    done.current = wish;
    const goal = list.current?.children[page - 1];
    if (goal) bring(goal, "start");
  }, [list, serial, page, width]);
}

/** Tells the page in the middle of the view. */
export function useCurrentPage(list: RefObject<HTMLDivElement | null>, scroller: RefObject<HTMLDivElement | null>, onPage: (page: number) => void): void {
  useScrolled(scroller, true, (box) => {
    if (list.current) onPage(pageAt(list.current, box.scrollTop + box.clientHeight / 2));
  });
}

/** The page whose top is the last one above `y`; pages stand in order, so half of them drop out with each look. */
function pageAt(list: HTMLElement, y: number): number {
  let low = 0;
  let high = list.children.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const page = list.children[middle];
    if (page instanceof HTMLElement && page.offsetTop <= y) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}
