import { useCallback, useMemo, useState } from "react";
import type { ReaderPlace } from "@/features/citations/lib/address";
import type { OutlineItem, Source } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { useOutline, usePassageAt } from "../lib/queries";
import { fileKind, hasPictures, pageCount, shapeOf, viewOf } from "../lib/shape";
import { useGoal } from "../lib/useGoal";
import { useReaderKeys } from "../lib/useReaderKeys";
import { useSearchIn } from "../lib/useSearchIn";
import type { Steps } from "../lib/useSteps";
import { useZoom } from "../lib/useZoom";
import { Banners } from "./Banners";
import { PagesView } from "./PagesView";
import styles from "./Reader.module.css";
import { RecordingView } from "./RecordingView";
import { SearchBar } from "./SearchBar";
import { SelectionBar } from "./SelectionBar";
import { TableView } from "./TableView";
import { TextView } from "./TextView";
import { Tools } from "./Tools";

interface OpenedProps {
  notebookId: string;
  source: Source;
  place: ReaderPlace;
  steps: Steps;
  isNarrow: boolean;
}

/** The reading that the address names, else the one that was there at first: what is shown stays of one piece when the source is read again meanwhile. */
function useReading(source: Source, place: ReaderPlace): string | null {
  const [first, setFirst] = useState(source.reading_id);
  if (first === null && source.reading_id !== null) setFirst(source.reading_id);
  return place.reading ?? first ?? source.reading_id;
}

/** The source as it was when `reading` was its finished one: counts of a reading that is being made are not those of what is shown. */
function useSteady(source: Source, reading: string | null): Source {
  const [steady, setSteady] = useState(source);
  const isSteady = source.status === "ready" || steady.reading_id === null;
  if (isSteady && steady !== source && source.reading_id === reading) setSteady(source);
  return steady.reading_id === reading ? steady : source;
}

const NO_HEADINGS: readonly OutlineItem[] = [];
const mayBeScan = (source: Source): boolean => fileKind(source) === "image" || (source.report?.by_vision ?? 0) > 0;
const isRead = (source: Source): boolean => source.searchable !== "none" || source.status === "ready";

/** The open source: its tools, what must be known before it is read, and itself, shown as its kind is. */
export function Opened({ notebookId, source, place, steps, isNarrow }: OpenedProps) {
  const t = useT();
  // The views measure the scroller when they begin, so they begin once it is there.
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const scroller = useMemo(() => ({ current: box }), [box]);
  const [chosen, setChosen] = useState<"pages" | "text" | null>(null);
  const reading = useReading(source, place);
  const shown = useSteady(source, reading);
  const shape = shapeOf(shown);
  const pages = pageCount(shown);
  const isEarlier = reading !== source.reading_id;
  const headings = useOutline(source.id, reading).data?.items ?? NO_HEADINGS;
  const { goal, goalPage, goTo, goToPage } = useGoal(shown, place.at, reading);
  const told = usePassageAt(source.id, reading, place.at?.passage ?? 0, isEarlier).data;
  const hasFile = !isEarlier || told?.is_same_file === true;
  const view = viewOf(shape, { chosen, isTextFirst: isNarrow || isEarlier, hasFile });
  const [page, setPage] = useState(goalPage);
  const [marked, setMarked] = useState<{ serial: number; is: boolean } | null>(null);
  const serial = goal?.serial ?? 0;
  const onMarked = useCallback((is: boolean) => setMarked({ serial, is }), [serial]);
  const finder = useSearchIn(source.id, reading, goTo);
  const zoom = useZoom();
  useReaderKeys({ steps, page, pages, goToPage, zoom, onSearch: finder.open });
  const common = { sourceId: source.id, kind: fileKind(shown), reading, goal, scroller, onPage: setPage, onMarked };
  const views = {
    pages: () => <PagesView {...common} pages={pages} mayBeScan={mayBeScan(shown)} zoom={zoom.value} goalPage={goalPage} />,
    text: () => <TextView {...common} outline={headings} hasPages={pages > 0} />,
    table: () => <TableView {...common} />,
    recording: () => <RecordingView {...common} source={source} hasFile={hasFile} isNarrow={isNarrow} />,
  };
  return (
    <>
      <Tools source={source} outline={headings} page={page} pages={pages} view={view} canSwitch={hasPictures(shape) && hasFile} zoom={zoom} finder={finder} onView={setChosen} onPage={goToPage} onPlace={(at) => goTo(at, "place")} />
      {finder.isOpen ? <SearchBar finder={finder} /> : null}
      <Banners source={source} isEarlier={isEarlier} readAt={told?.read_at ?? null} hasFile={hasFile || told === undefined} mark={steps.current} isMarked={marked?.serial === serial ? marked.is : null} />
      {isRead(source) ? (
        <div ref={setBox} className={styles.scroller} data-testid="reader-scroller" data-view={view} tabIndex={0} aria-label={source.title} role="region">
          {box ? views[view]() : null}
        </div>
      ) : (
        <p className={styles.note}>{t("reader.notReady")}</p>
      )}
      <SelectionBar notebookId={notebookId} conversation={place.conversation} source={source} reading={reading} scroller={scroller} />
    </>
  );
}
