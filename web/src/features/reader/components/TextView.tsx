import { useEffect, useMemo, useRef, useState, type RefObject } from "react";
import { pageWords } from "@/features/citations/lib/locator";
import type { OutlineItem, SourceKind } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Trouble } from "@/shared/ui/Trouble";
import type { Goal } from "../lib/goal";
import { usePassages } from "../lib/queries";
import { useBringGoal } from "../lib/useBringGoal";
import { useScrolled } from "../lib/useScrolled";
import { PassageView } from "./PassageView";
import styles from "./Views.module.css";

export interface TextViewProps {
  sourceId: string;
  kind: SourceKind;
  reading: string | null;
  outline: readonly OutlineItem[];
  goal: Goal | null;
  scroller: RefObject<HTMLDivElement | null>;
  /** Pages, slides or pictures are named over their text. */
  hasPages: boolean;
  onPage: (page: number) => void;
  onMarked: (isMarked: boolean) => void;
}

/** The stored text word for word, with the cited range marked; more of it loads at both ends. */
export function TextView({ sourceId, kind, reading, outline, goal, scroller, hasPages, onPage, onMarked }: TextViewProps) {
  const t = useT();
  const first = goal?.at.passage ?? 0;
  const query = usePassages(sourceId, reading, useAnchor(first, goal));
  const passages = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const hasGoal = passages.some((passage) => passage.passage === first);
  useBringGoal(scroller, goal, hasGoal, onMarked);
  useSeenPage(scroller, hasPages, onPage);
  const { hasNextPage, fetchNextPage, hasPreviousPage, fetchPreviousPage, isFetching } = query;
  const above = useMore(scroller, hasPreviousPage && !isFetching, () => void fetchPreviousPage());
  const below = useMore(scroller, hasNextPage && !isFetching, () => void fetchNextPage());
  if (query.isError && passages.length === 0) return <Trouble error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <div className={styles.text} data-testid="text-view">
      <div ref={above} className={styles.edge} />
      {passages.map((passage, at) => {
        const isFirst = passage.page !== passages[at - 1]?.page || at === 0;
        return (
          <PassageView
            key={passage.passage}
            kind={kind}
            passage={passage}
            outline={outline}
            goal={goal?.at.passage === passage.passage ? goal : null}
            name={hasPages && isFirst && passage.page ? pageWords(kind, passage.page, t) : null}
            tellsPicture={isFirst && passage.method === "vision"}
          />
        );
      })}
      <div ref={below} className={styles.edge} />
      {query.isPending ? <p className={styles.wait}>{t("reader.loading")}</p> : null}
    </div>
  );
}

/** Where loading began; it moves only when the goal lies outside of what a step or two would load. */
function useAnchor(first: number, goal: Goal | null): number {
  const serial = goal?.serial ?? 0;
  const [anchor, setAnchor] = useState({ first, serial });
  if (serial === anchor.serial) return anchor.first;
  const next = Math.abs(first - anchor.first) > 8 ? first : anchor.first;
  setAnchor({ first: next, serial });
  return next;
}

/** Calls `load` when the end it is put at comes near the view. */
function useMore(scroller: RefObject<HTMLDivElement | null>, isOn: boolean, load: () => void): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null);
  const latest = useRef(load);
  useEffect(() => {
    latest.current = load;
  });
  useEffect(() => {
    if (!isOn || !end.current) return;
    const watch = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && latest.current(), { root: scroller.current, rootMargin: "100% 0px" });
    watch.observe(end.current);
    return () => watch.disconnect();
  }, [scroller, isOn]);
  return end;
}

/** Tells which page's text stands at the top third of the view. */
function useSeenPage(scroller: RefObject<HTMLDivElement | null>, isOn: boolean, onPage: (page: number) => void): void {
  useScrolled(scroller, isOn, (box) => {
    const line = box.getBoundingClientRect().top + box.clientHeight / 3;
    const above = [...box.querySelectorAll<HTMLElement>("[data-page]")].filter((passage) => passage.getBoundingClientRect().top <= line);
    const page = Number(above.at(-1)?.dataset["page"]);
    if (page) onPage(page);
  });
}
