import { memo, useEffect, useRef, useState } from "react";
import { useT } from "@/shared/i18n/i18n";
import { rangeIn, type Goal } from "../lib/goal";
import { pictureUrl, useBoxes, useWords } from "../lib/queries";
import { TextLayer } from "./TextLayer";
import { bring } from "@/features/citations/lib/bring";
import styles from "./PdfPage.module.css";

const FINE_ABOVE = 1200; // px; wider than the default picture

export interface PdfPageProps {
  sourceId: string;
  reading: string | null;
  page: number;
  pages: number;
  width: number;
  /** Height over width of a page whose size is not known yet. */
  ratio: number;
  isNear: boolean;
  goal: Goal | null;
  /** Tells a page's own size, and once whether its quote could be marked. */
  onRatio: (ratio: number) => void;
  onMarked: ((isMarked: boolean) => void) | undefined;
}

/** One page: its picture, its words, the range marked on it. Loads when it comes near the view. */
export const PdfPage = memo(function PdfPage({ sourceId, reading, page, pages, width, ratio, isNear, goal, onRatio, onMarked }: PdfPageProps) {
  const t = useT();
  const [isBroken, setBroken] = useState(false);
  const words = useWords(sourceId, reading, page, isNear);
  const own = words.data && words.data.width > 0 ? words.data.height / words.data.width : null;
  const height = Math.round(width * (own ?? ratio));
  useEffect(() => {
    if (own) onRatio(own);
  }, [own, onRatio]);
  return (
    <section className={styles.page} data-page={page} data-passage={words.data?.passage} aria-label={t("reader.page", { k: page, n: pages })} style={{ width, height }}>
      {isNear && !isBroken ? <img className={styles.picture} src={pictureUrl(sourceId, reading, page, width > FINE_ABOVE)} alt="" draggable={false} onError={() => setBroken(true)} /> : null}
      {isNear && goal ? <Marked sourceId={sourceId} reading={reading} page={page} goal={goal} onMarked={onMarked} /> : null}
      {words.data ? <TextLayer words={words.data} width={width} height={height} /> : null}
      {words.data?.items.length === 0 ? <p className="heard">{t("reader.emptyPage")}</p> : null}
      {isBroken ? <p className={styles.broken}>{t("reader.pageFailed")}</p> : null}
      <span className={styles.number} aria-hidden="true">
        {page}
      </span>
    </section>
  );
});

interface MarkedProps {
  sourceId: string;
  reading: string | null;
  page: number;
  goal: Goal;
  onMarked: ((isMarked: boolean) => void) | undefined;
}

/** Rectangles under the words of the range; a bar beside the page when the words could not be located. */
function Marked({ sourceId, reading, page, goal, onMarked }: MarkedProps) {
  const t = useT();
  const first = useRef<HTMLDivElement>(null);
  const range = rangeIn(goal, goal.at.passage);
  const boxes = useBoxes(sourceId, reading, page, range);
  const isMarked = boxes.data?.highlight === true && boxes.data.items.length > 0;
  const isSettled = range === null || boxes.isError || (boxes.isSuccess && !boxes.isPlaceholderData);
  useEffect(() => {
    if (!isSettled) return;
    onMarked?.(isMarked);
    if (isMarked && first.current) bring(first.current, "center");
  }, [goal.serial, isSettled, isMarked, onMarked]);
  if (!isSettled) return null;
  if (!isMarked) return <div ref={first} className={styles.beside} data-testid="beside" />;
  return (
    <div className={styles.marks} data-testid="highlight" role="note" aria-label={t("reader.cited")}>
      {boxes.data?.items.map((box, at) => (
        <div
          key={at}
          ref={at === 0 ? first : undefined}
          className={goal.kind === "match" ? styles.match : styles.box}
          data-box=""
          style={{ left: `${box.x0 * 100}%`, top: `${box.y0 * 100}%`, width: `${(box.x1 - box.x0) * 100}%`, height: `${(box.y1 - box.y0) * 100}%` }}
        />
      ))}
    </div>
  );
}
