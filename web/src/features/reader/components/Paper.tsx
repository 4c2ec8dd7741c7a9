import { useEffect, useRef, useState } from "react";
import { bring } from "@/features/citations/lib/bring";
import { useT } from "@/shared/i18n/i18n";
import { rangeIn, type Goal } from "../lib/goal";
import { pictureUrl, useBoxes } from "../lib/queries";
import styles from "./PageView.module.css";

const FINE_ABOVE = 1200; // px; wider than the default picture

export interface PaperProps {
  sourceId: string;
  reading: string | null;
  page: number;
  width: number;
  alt: string;
  goal: Goal | null;
  /** The picture decides where the goal is and whether it is marked; else the text beside it does. */
  leads: boolean;
  onMarked: ((isMarked: boolean) => void) | undefined;
  /** Height over width of the picture as it came. */
  onNatural: (ratio: number) => void;
}

/** The picture of a page with the range of the goal marked on it. */
export function Paper({ sourceId, reading, page, width, alt, goal, leads, onMarked, onNatural }: PaperProps) {
  const t = useT();
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return <p className={styles.broken}>{t("reader.pageFailed")}</p>;
  return (
    <>
      <img
        className={styles.picture}
        src={pictureUrl(sourceId, reading, page, width > FINE_ABOVE)}
        alt={alt}
        draggable={false}
        onError={() => setBroken(true)}
        onLoad={({ currentTarget: { naturalHeight, naturalWidth } }) => naturalWidth > 0 && onNatural(naturalHeight / naturalWidth)}
      />
      {goal ? <Marked sourceId={sourceId} reading={reading} page={page} goal={goal} leads={leads} onMarked={onMarked} /> : null}
    </>
  );
}

type MarkedProps = Pick<PaperProps, "sourceId" | "reading" | "page" | "leads" | "onMarked"> & { goal: Goal };

/** Rectangles under the words of the range; a bar beside the page when the words could not be located. */
function Marked({ sourceId, reading, page, goal, leads, onMarked }: MarkedProps) {
  const t = useT();
  const first = useRef<HTMLDivElement>(null);
  const range = rangeIn(goal, goal.at.passage);
  const boxes = useBoxes(sourceId, reading, page, range);
  const isMarked = boxes.data?.highlight === true && boxes.data.items.length > 0;
  const isSettled = range === null || boxes.isError || (boxes.isSuccess && !boxes.isPlaceholderData);
  useEffect(() => {
    if (!isSettled || !leads) return;
    onMarked?.(isMarked);
    if (isMarked && first.current) bring(first.current, "center");
  }, [goal.serial, isSettled, isMarked, leads, onMarked]);
  if (!isSettled || (!isMarked && !leads)) return null;
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
