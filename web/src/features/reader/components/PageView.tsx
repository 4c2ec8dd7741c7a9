import { memo, useLayoutEffect, useState } from "react";
import { pageWords } from "@/features/citations/lib/locator";
import type { PageWords, Passage, SourceKind } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import type { Goal } from "../lib/goal";
import { usePageText, useWords } from "../lib/queries";
import { Paper } from "./Paper";
import { ScanText } from "./ScanText";
import { TextLayer } from "./TextLayer";
import styles from "./PageView.module.css";

const GAP = 16; // between a picture and the text read from it
const ROOM = 560; // px; below, the text stands under the picture

export interface PageViewProps {
  sourceId: string;
  kind: SourceKind;
  reading: string | null;
  page: number;
  pages: number;
  /** Width of a page, and that without magnification. */
  width: number;
  room: number;
  /** Height over width of a page whose size is not known yet. */
  ratio: number;
  isNear: boolean;
  /** Whether its text may have been read from a picture. */
  mayBeScan: boolean;
  goal: Goal | null;
  /** Tells a page's own size, and once whether its quote could be marked. */
  onRatio: (ratio: number) => void;
  onMarked: ((isMarked: boolean) => void) | undefined;
}

/** What a page knows of itself once it was near; before, it is an empty sheet of the usual size. */
interface Known {
  readonly ratio: number | null;
  readonly isScan: boolean;
  readonly passage: number | undefined;
}

/** One page: its picture, its words, the range marked on it; beside a scan stands what was read. Loads when it comes near. */
export const PageView = memo(function PageView(props: PageViewProps) {
  const { kind, page, pages, width, room, isNear } = props;
  const t = useT();
  // Of thousands of pages only those that were near have anything to do; what has loaded stays, so that nothing jumps.
  const [wasNear, setWasNear] = useState(isNear);
  if (isNear && !wasNear) setWasNear(true);
  const [known, setKnown] = useState<Known>({ ratio: null, isScan: kind === "image", passage: undefined });
  const isBeside = known.isScan && room >= ROOM;
  const paperWidth = isBeside ? Math.round((width * (room - GAP)) / 2 / room) : width;
  const height = Math.round(paperWidth * (known.ratio ?? props.ratio));
  return (
    <section
      className={known.isScan ? styles.scan : styles.page}
      data-beside={isBeside || undefined}
      data-page={page}
      data-where={pageWords(kind, page, t)}
      data-passage={known.passage}
      aria-label={nthWords(kind, page, pages, t)}
      style={known.isScan ? { minHeight: height } : { width, height }}
    >
      {wasNear ? <Sheet {...props} width={paperWidth} height={height} isBeside={isBeside} isLaidAsScan={known.isScan} onKnown={setKnown} /> : null}
      <span className={styles.number} aria-hidden="true">
        {pages > 1 ? page : ""}
      </span>
    </section>
  );
});

/** `isLaidAsScan`: the page has made room for the text beside its picture; before, nothing could be brought into view. */
type SheetProps = PageViewProps & { height: number; isBeside: boolean; isLaidAsScan: boolean };
type Inner = SheetProps & { onNatural: (ratio: number) => void };

/** What is on a page that is, or was, near. */
function Sheet({ onKnown, ...page }: SheetProps & { onKnown: (known: Known) => void }) {
  const { sourceId, kind, reading, isNear, mayBeScan, onRatio } = page;
  const [natural, setNatural] = useState<number | null>(null);
  const text = usePageText(sourceId, reading, page.page, kind === "image" && page.pages === 1, isNear && mayBeScan);
  const { data: words, isPending } = useWords(sourceId, reading, page.page, isNear);
  const isScan = kind === "image" || text.data?.[0]?.method === "vision";
  const ratio = words && words.width > 0 ? words.height / words.width : natural;
  const passage = words?.passage;
  useLayoutEffect(() => {
    onKnown({ ratio, isScan, passage });
    if (ratio) onRatio(ratio);
  }, [ratio, isScan, passage, onKnown, onRatio]);
  const inner = { ...page, onNatural: setNatural };
  if (isScan !== page.isLaidAsScan) return null;
  // The text comes when the picture's size is known: what is brought into view then stays there.
  return isScan ? <Scan {...inner} passages={isPending ? undefined : text.data} /> : <Printed {...inner} words={words} isSettled={isNear && !(mayBeScan && text.isPending)} />;
}

/** A page read by its text: the words lie over the picture. */
function Printed({ words, isSettled, ...page }: Inner & { words: PageWords | undefined; isSettled: boolean }) {
  const t = useT();
  return (
    <>
      {isSettled ? <Paper {...page} alt="" leads /> : null}
      {words ? <TextLayer words={words} width={page.width} height={page.height} /> : null}
      {words?.items.length === 0 ? <p className="heard">{t("reader.emptyPage")}</p> : null}
    </>
  );
}

/** A page read from its picture: the text stands beside it, or below where there is no room. */
function Scan({ passages, ...page }: Inner & { passages: readonly Passage[] | undefined }) {
  const t = useT();
  const { kind, goal, room, width, height, isBeside, onMarked } = page;
  return (
    <>
      <div className={styles.paper} style={{ width, height }}>
        {page.isNear ? <Paper {...page} alt={pageWords(kind, page.page, t)} leads={false} /> : null}
      </div>
      <ScanText kind={kind} passages={passages} goal={goal} width={isBeside ? (room - GAP) / 2 : room} onMarked={onMarked} />
    </>
  );
}

function nthWords(kind: SourceKind, k: number, n: number, t: ReturnType<typeof useT>): string {
  if (kind !== "image") return t("reader.page", { k, n });
  return n > 1 ? t("reader.pictureNth", { k, n }) : t("card.picture");
}
