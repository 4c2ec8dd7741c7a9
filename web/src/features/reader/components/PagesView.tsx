import { useCallback, useRef, useState, type RefObject } from "react";
import type { SourceKind } from "@/shared/api/types";
import type { Goal } from "../lib/goal";
import { useCurrentPage, useGoing, useNear, useRoom } from "../lib/usePages";
import { PageView } from "./PageView";
import styles from "./Views.module.css";

export interface PagesViewProps {
  sourceId: string;
  kind: SourceKind;
  reading: string | null;
  pages: number;
  /** Some pages may have been read from their picture. */
  mayBeScan: boolean;
  zoom: number;
  goal: Goal | null;
  /** The page the goal is on; the page to begin with. */
  goalPage: number;
  scroller: RefObject<HTMLDivElement | null>;
  onPage: (page: number) => void;
  onMarked: (isMarked: boolean) => void;
}

const A4 = 1.414;

/** The pages of a PDF or the pictures of a scan under each other; those near the view are loaded. */
export function PagesView({ sourceId, kind, reading, pages, mayBeScan, zoom, goal, goalPage, scroller, onPage, onMarked }: PagesViewProps) {
  const list = useRef<HTMLDivElement>(null);
  const [ratio, setRatio] = useState(A4);
  const isKnown = useRef(false);
  const learn = useCallback((own: number) => {
    // The first page that is known stands for the others until they are: most files have one size.
    if (isKnown.current) return;
    isKnown.current = true;
    setRatio(own);
  }, []);
  const room = useRoom(scroller);
  const width = Math.round(room * zoom);
  const near = useNear(list, scroller, pages, width, goalPage);
  useGoing(list, goal?.serial ?? 0, goalPage, width);
  useCurrentPage(list, scroller, onPage);
  return (
    <div ref={list} className={styles.pages}>
      {width > 0
        ? Array.from({ length: pages }, (_, at) => (
            <PageView
              key={at}
              sourceId={sourceId}
              kind={kind}
              reading={reading}
              page={at + 1}
              pages={pages}
              width={width}
              room={room}
              ratio={ratio}
              isNear={near.has(at + 1)}
              mayBeScan={mayBeScan}
              goal={at + 1 === goalPage ? goal : null}
              onRatio={learn}
              onMarked={at + 1 === goalPage ? onMarked : undefined}
            />
          ))
        : null}
    </div>
  );
}
