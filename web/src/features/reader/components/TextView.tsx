import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from "react";
import type { OutlineItem, Passage } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Trouble } from "@/shared/ui/Trouble";
import { flow } from "../lib/flow";
import { rangeIn, type Goal } from "../lib/goal";
import { usePassages } from "../lib/queries";
import { lineRange, segments, type Range } from "../lib/segments";
import { bring } from "@/features/citations/lib/bring";
import styles from "./Views.module.css";

export interface TextViewProps {
  sourceId: string;
  reading: string | null;
  outline: readonly OutlineItem[];
  goal: Goal | null;
  scroller: RefObject<HTMLDivElement | null>;
  /** Pages are named over their text: a PDF's own words. */
  hasPages: boolean;
  onPage: (page: number) => void;
  onMarked: (isMarked: boolean) => void;
}

/** The stored text word for word, with the cited range marked; more of it loads at both ends. */
export function TextView({ sourceId, reading, outline, goal, scroller, hasPages, onPage, onMarked }: TextViewProps) {
  const t = useT();
  const first = goal?.at.passage ?? 0;
  const query = usePassages(sourceId, reading, useAnchor(first, goal));
  const passages = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const hasGoal = passages.some((passage) => passage.passage === first);
  useGoing(scroller, goal, hasGoal, onMarked);
  useSeenPage(scroller, hasPages, onPage);
  const { hasNextPage, fetchNextPage, hasPreviousPage, fetchPreviousPage, isFetching } = query;
  const above = useMore(scroller, hasPreviousPage && !isFetching, () => void fetchPreviousPage());
  const below = useMore(scroller, hasNextPage && !isFetching, () => void fetchNextPage());
  if (query.isError && passages.length === 0) return <Trouble error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <div className={styles.text} data-testid="text-view">
      <div ref={above} className={styles.edge} />
      {passages.map((passage) => (
        <PassageView key={passage.passage} passage={passage} outline={outline} goal={goal?.at.passage === passage.passage ? goal : null} pageName={hasPages && passage.page ? t("reader.pageOnly", { k: passage.page }) : null} />
      ))}
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

interface PassageViewProps {
  passage: Passage;
  outline: readonly OutlineItem[];
  goal: Goal | null;
  pageName: string | null;
}

const PassageView = memo(function PassageView({ passage, outline, goal, pageName }: PassageViewProps) {
  const t = useT();
  const range = rangeIn(goal, passage.passage);
  const shown = useMemo(() => (pageName ? flow(passage.text) : passage.text), [passage.text, pageName]);
  const ranges: Range[] = outline.filter((item) => item.passage === passage.passage && !pageName).map((item) => lineRange(passage.text, item.start, "heading"));
  if (range && goal) ranges.push({ ...range, name: goal.kind });
  const isBeside = goal?.kind === "cited" && !range;
  return (
    <div className={styles.passage} data-passage={passage.passage} data-page={passage.page ?? undefined} data-heading={passage.heading ?? undefined} data-beside={isBeside || undefined} data-testid={isBeside ? "beside" : undefined}>
      {pageName ? <h3 className={styles.pageName}>{pageName}</h3> : null}
      {pageName && passage.text.trim() === "" ? <p className={styles.wait}>{t("reader.emptyPage")}</p> : null}
      <div className={pageName ? `${styles.words} ${styles.flowing}` : styles.words} dir="auto">
        {segments(shown, ranges).map((segment) => (
          <Piece key={segment.at} text={segment.text} names={segment.names} />
        ))}
      </div>
    </div>
  );
});

function Piece({ text, names }: { text: string; names: readonly string[] }) {
  const inner = names.includes("heading") ? <span className={styles.heading}>{text}</span> : text;
  if (names.includes("cited")) {
    return (
      <mark className={styles.cited} data-testid="highlight" data-goal="">
        {inner}
      </mark>
    );
  }
  if (names.includes("match")) {
    return (
      <mark className={styles.match} data-goal="">
        {inner}
      </mark>
    );
  }
  return inner;
}

/** Brings the goal into view once its passage is there. */
function useGoing(scroller: RefObject<HTMLDivElement | null>, goal: Goal | null, isThere: boolean, onMarked: (isMarked: boolean) => void): void {
  const done = useRef(-1);
  useLayoutEffect(() => {
    if (!goal || !isThere || done.current === goal.serial) return;
    done.current = goal.serial;
    const mark = scroller.current?.querySelector("[data-goal]");
    const passage = scroller.current?.querySelector(`[data-passage="${goal.at.passage}"]`);
    if (mark) bring(mark, "center");
    else if (passage) bring(passage, "start");
    if (goal.kind === "cited") onMarked(mark !== null && mark !== undefined);
  });
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
  useEffect(() => {
    const box = scroller.current;
    if (!box || !isOn) return;
    const look = (): void => {
      const line = box.getBoundingClientRect().top + box.clientHeight / 3;
      const above = [...box.querySelectorAll<HTMLElement>("[data-page]")].filter((passage) => passage.getBoundingClientRect().top <= line);
      const page = Number(above.at(-1)?.dataset["page"]);
      if (page) onPage(page);
    };
    box.addEventListener("scroll", look, { passive: true });
    return () => box.removeEventListener("scroll", look);
  }, [scroller, isOn, onPage]);
}
