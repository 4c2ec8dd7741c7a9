import { memo, useMemo } from "react";
import { locator } from "@/features/citations/lib/locator";
import type { OutlineItem, Passage, SourceKind } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { flow } from "../lib/flow";
import { rangeIn, type Goal } from "../lib/goal";
import { lineRange, marksRange, segments, splitAt, type Range } from "../lib/segments";
import { FromPicture } from "./FromPicture";
import styles from "./Views.module.css";

/** Kinds whose headings were marked as they were read; in a Markdown text the marks are its author's words. */
const SET_MARKS: ReadonlySet<SourceKind> = new Set(["office", "url"]);

export interface PassageViewProps {
  kind: SourceKind;
  passage: Passage;
  outline: readonly OutlineItem[];
  /** The goal when it is in this passage. */
  goal: Goal | null;
  /** The page's name over its first passage. */
  name: string | null;
  /** Says that a picture was read, where that is not said elsewhere. */
  tellsPicture: boolean;
}

/** The stored text of one passage word for word, with the range of the goal marked; only lines of a PDF's page flow. */
export const PassageView = memo(function PassageView({ kind, passage, outline, goal, name, tellsPicture }: PassageViewProps) {
  const t = useT();
  const range = rangeIn(goal, passage.passage);
  const isFlowing = kind === "pdf" && passage.method === "text" && passage.page !== null && passage.page !== undefined;
  const shown = useMemo(() => (isFlowing ? flow(passage.text) : passage.text), [passage.text, isFlowing]);
  const ranges: Range[] = outline.filter((item) => item.passage === passage.passage && !isFlowing).map((item) => lineRange(passage.text, item.start, "heading"));
  if (SET_MARKS.has(kind)) ranges.push(...ranges.flatMap(({ start }) => marksRange(passage.text, start, "marks") ?? []));
  if (range && goal) ranges.push({ ...range, name: goal.kind });
  const isBeside = goal?.kind === "cited" && !range;
  const describes = passage.description_at;
  const isEmpty = passage.text.trim() === "";
  return (
    <div
      className={styles.passage}
      data-passage={passage.passage}
      data-page={passage.page ?? undefined}
      data-where={locator({ kind, ...passage }, t) || undefined}
      data-beside={isBeside || undefined}
      data-testid={isBeside ? "beside" : undefined}
    >
      {name ? <h3 className={styles.pageName}>{name}</h3> : null}
      {tellsPicture ? <FromPicture /> : null}
      {isEmpty && passage.page ? <p className={styles.wait}>{t(passage.state === "unread" ? "reader.unreadPage" : "reader.emptyPage")}</p> : null}
      {typeof describes === "number" ? (
        <Described parts={splitAt(shown, ranges, describes)} />
      ) : (
        <div className={isFlowing ? `${styles.words} ${styles.flowing}` : styles.words} dir="auto" data-stored="">
          <Words text={shown} ranges={ranges} />
        </div>
      )}
    </div>
  );
});

/** The words of a picture, then what a model says it shows: named, because they are not the picture's words. */
function Described({ parts }: { parts: ReturnType<typeof splitAt> }) {
  const t = useT();
  return parts.map(({ text, ranges }, at) =>
    text === "" ? null : (
      <div key={at} className={at > 0 ? `${styles.words} ${styles.description}` : styles.words} dir="auto" data-testid={at > 0 ? "description" : undefined}>
        {at > 0 ? <p className={styles.describes}>{t("reader.describes")}</p> : null}
        <Words text={text} ranges={ranges} />
      </div>
    ),
  );
}

/** A text with its ranges marked. */
export function Words({ text, ranges }: { text: string; ranges: readonly Range[] }) {
  return segments(text, ranges).map((segment) => <Piece key={segment.at} text={segment.text} names={segment.names} />);
}

function Piece({ text, names }: { text: string; names: readonly string[] }) {
  // Kept in the page, unseen: places of a selection count in the stored text.
  if (names.includes("marks")) return <span className={styles.marks} data-unseen="">{text}</span>;
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
