import { useRef } from "react";
import type { OutlineItem, Passage, SourceKind } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import type { Goal } from "../lib/goal";
import { useBringGoal } from "../lib/useBringGoal";
import { FromPicture } from "./FromPicture";
import { PassageView } from "./PassageView";
import styles from "./PageView.module.css";

const NO_HEADINGS: readonly OutlineItem[] = [];

export interface ScanTextProps {
  kind: SourceKind;
  /** Undefined until they are there. */
  passages: readonly Passage[] | undefined;
  goal: Goal | null;
  width: number;
  onMarked: ((isMarked: boolean) => void) | undefined;
}

/** What was read from a picture, with the cited words marked. */
export function ScanText({ kind, passages, goal, width, onMarked }: ScanTextProps) {
  const t = useT();
  const box = useRef<HTMLDivElement>(null);
  useBringGoal(box, goal, passages?.some((passage) => passage.passage === goal?.at.passage) ?? false, onMarked);
  return (
    <div ref={box} className={styles.read} style={{ width }}>
      <FromPicture />
      {passages?.map((passage) => (
        <PassageView key={passage.passage} kind={kind} passage={passage} outline={NO_HEADINGS} goal={goal?.at.passage === passage.passage ? goal : null} name={null} tellsPicture={false} />
      ))}
      {passages?.length === 0 ? <p>{t("reader.emptyPage")}</p> : null}
    </div>
  );
}
