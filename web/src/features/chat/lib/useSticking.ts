/** Scrolling of a conversation: along with new text only at the bottom, back to where a person was otherwise. */

import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import { placeIn, rememberPlace } from "./place";

const NEAR_PX = 40;

const gapOf = (box: HTMLElement): number => box.scrollHeight - box.scrollTop - box.clientHeight;

/** Keeps `box` at its end while its content grows, unless the reader scrolled up; then `hasNew` says there is more below. */
export function useSticking(conversation: string | null): {
  box: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  hasNew: boolean;
  toEnd: () => void;
  /** To be called after the place was set by other hands: sticks only when it is at the end. */
  settle: () => void;
} {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isSticking = useRef(true);
  const lastTop = useRef(0);
  const [hasNew, setHasNew] = useState(false);

  const settle = useCallback(() => {
    if (!box.current) return;
    lastTop.current = box.current.scrollTop;
    isSticking.current = gapOf(box.current) <= NEAR_PX;
  }, []);
  const toEnd = useCallback(() => {
    isSticking.current = true;
    setHasNew(false);
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, []);

  useEffect(() => {
    const scroller = box.current;
    const inner = content.current;
    if (!scroller || !inner) return;
    let height = inner.offsetHeight;
    let width = inner.offsetWidth;
    const grown = new ResizeObserver(() => {
      if (scroller.clientHeight === 0) return; // hidden behind the reader of a narrow screen
      const isTaller = inner.offsetHeight > height;
      const isSameWidth = inner.offsetWidth === width;
      height = inner.offsetHeight;
      width = inner.offsetWidth;
      if (isSticking.current) scroller.scrollTop = scroller.scrollHeight;
      else if (isTaller && isSameWidth && gapOf(scroller) > NEAR_PX) setHasNew(true);
    });
    const scrolled = (): void => {
      if (scroller.clientHeight === 0) return;
      // Only going up lets go: text that grew between a scroll and its event must not.
      if (gapOf(scroller) <= NEAR_PX) isSticking.current = true;
      else if (scroller.scrollTop < lastTop.current - 1) isSticking.current = false;
      lastTop.current = scroller.scrollTop;
      if (isSticking.current) setHasNew(false);
      if (conversation) rememberPlace(conversation, { ...placeIn(conversation), top: Math.round(scroller.scrollTop) });
    };
    grown.observe(inner);
    grown.observe(scroller);
    scroller.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      grown.disconnect();
      scroller.removeEventListener("scroll", scrolled);
    };
  }, [conversation]);

  return { box, content, hasNew, toEnd, settle };
}

/** After a reload: the place where the person was, once the turns are there; a conversation not seen before opens at its end. */
export function useRestoredScroll(conversation: string | null, box: RefObject<HTMLDivElement | null>, isReady: boolean, settle: () => void): void {
  const done = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (!isReady || !conversation || done.current === conversation || !box.current) return;
    done.current = conversation;
    const place = placeIn(conversation);
    box.current.scrollTo({ top: place ? place.top : box.current.scrollHeight, behavior: "instant" });
    settle();
  }, [conversation, box, isReady, settle]);
}
