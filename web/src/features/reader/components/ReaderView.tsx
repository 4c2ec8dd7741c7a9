import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useSearch } from "wouter";
import { readerPlace } from "@/features/citations/lib/address";
import { ApiError } from "@/shared/api/client";
import type { OutlineItem, Source } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { NARROW, useMedia } from "@/shared/lib/media";
import { Note } from "@/shared/ui/Note";
import { Trouble } from "@/shared/ui/Trouble";
import { useGoal } from "../lib/useGoal";
import { useReaderKeys } from "../lib/useReaderKeys";
import { useSearchIn } from "../lib/useSearchIn";
import { useSteps } from "../lib/useSteps";
import { useZoom } from "../lib/useZoom";
import { useOutline, useSource, useTurn } from "../lib/queries";
import type { ReaderProps } from "../Reader";
import { Banners } from "./Banners";
import { Head, StepBar } from "./Head";
import { PdfView } from "./PdfView";
import { SearchBar } from "./SearchBar";
import { SelectionBar } from "./SelectionBar";
import { TextView } from "./TextView";
import { Tools } from "./Tools";
import styles from "./Reader.module.css";

/** The reader: head, what must be known, the source itself, and its tools. */
export default function ReaderView({ notebookId, sourceId }: ReaderProps) {
  const t = useT();
  const search = useSearch();
  const place = useMemo(() => readerPlace(search), [search]);
  const source = useSource(sourceId);
  const turn = useTurn(place.turn);
  const steps = useSteps(notebookId, place, turn.data);
  const isNarrow = useMedia(NARROW);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    root.current?.focus({ preventScroll: true });
  }, []);
  const isGone = source.error instanceof ApiError && (source.error.status === 404 || source.error.status === 403);
  return (
    <div ref={root} className={styles.reader} data-testid="reader" role={isNarrow ? "main" : undefined} tabIndex={-1}>
      <Head title={source.data?.title ?? ""} steps={steps} hasAnswer={place.turn !== null} isNarrow={isNarrow} />
      {isGone ? (
        <div className={styles.note}>
          <Note icon="trash" testId="reader-gone">
            {t("reader.removed")}
          </Note>
        </div>
      ) : null}
      {source.isError && !isGone ? (
        <div className={styles.note}>
          <Trouble error={source.error} onRetry={() => void source.refetch()} />
        </div>
      ) : null}
      {source.data ? <Opened notebookId={notebookId} source={source.data} place={place} steps={steps} isNarrow={isNarrow} /> : null}
      {isNarrow && steps.current ? <StepBar steps={steps} className={styles.bottom} /> : null}
    </div>
  );
}

interface OpenedProps {
  notebookId: string;
  source: Source;
  place: ReturnType<typeof readerPlace>;
  steps: ReturnType<typeof useSteps>;
  isNarrow: boolean;
}

type View = "pages" | "text";
const NO_HEADINGS: readonly OutlineItem[] = [];

/**
 * Pictures of pages where there is room for them; on a narrow screen the page's text, which can be read there. Of an
 * earlier reading the text too: its file may have been replaced since.
 */
function shownView(isPdf: boolean, chosen: View | null, isTextBetter: boolean): View {
  if (!isPdf) return "text";
  return chosen ?? (isTextBetter ? "text" : "pages");
}

const isRead = (source: Source): boolean => source.searchable !== "none" || source.status === "ready";

function Opened({ notebookId, source, place, steps, isNarrow }: OpenedProps) {
  const t = useT();
  // The views measure the scroller when they begin, so they begin once it is there.
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const scroller = useMemo(() => ({ current: box }), [box]);
  const [view, setView] = useState<View | null>(null);
  const pages = source.kind === "pdf" ? (source.pages ?? 0) : 0;
  const isPdf = pages > 0;
  // Always by name: were the source read again meanwhile, what is shown would stay of one piece.
  const reading = place.reading ?? source.reading_id;
  const isEarlier = reading !== source.reading_id;
  const headings = useOutline(source.id, reading).data?.items ?? NO_HEADINGS;
  const shown = shownView(isPdf, view, isNarrow || isEarlier);
  const { goal, goalPage, goTo, goToPage } = useGoal(source, place.at, reading);
  const [page, setPage] = useState(goalPage);
  const [marked, setMarked] = useState<{ serial: number; is: boolean } | null>(null);
  const serial = goal?.serial ?? 0;
  const onMarked = useCallback((is: boolean) => setMarked({ serial, is }), [serial]);
  const finder = useSearchIn(source.id, reading, goTo);
  const zoom = useZoom();
  useReaderKeys({ steps, page, pages, goToPage, zoom, onSearch: finder.open });
  const common = { sourceId: source.id, reading, goal, scroller, onPage: setPage, onMarked };
  return (
    <>
      <Tools source={source} outline={headings} page={page} view={isPdf ? shown : null} zoom={zoom} finder={finder} onView={setView} onPage={goToPage} onPlace={(at) => goTo(at, "place")} />
      {finder.isOpen ? <SearchBar finder={finder} /> : null}
      <Banners source={source} isEarlier={isEarlier} mark={steps.current} isMarked={marked?.serial === serial ? marked.is : null} />
      {isRead(source) ? (
        <div ref={setBox} className={styles.scroller} data-testid="reader-scroller" data-view={shown} tabIndex={0} aria-label={source.title} role="region">
          {!box ? null : shown === "pages" ? <PdfView {...common} pages={pages} zoom={zoom.value} goalPage={goalPage} /> : <TextView {...common} outline={headings} hasPages={isPdf} />}
        </div>
      ) : (
        <p className={styles.note}>{t("reader.notReady")}</p>
      )}
      <SelectionBar notebookId={notebookId} conversation={place.conversation} source={source} scroller={scroller} />
    </>
  );
}
