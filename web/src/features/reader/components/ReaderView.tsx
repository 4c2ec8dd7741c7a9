import { useEffect, useMemo, useRef } from "react";
import { useSearch } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import { readerPlace } from "@/features/citations/lib/address";
import { ApiError } from "@/shared/api/client";
import { useT } from "@/shared/i18n/i18n";
import { NARROW, useMedia } from "@/shared/lib/media";
import { Note } from "@/shared/ui/Note";
import { Trouble } from "@/shared/ui/Trouble";
import { useSource, useTurn } from "../lib/queries";
import { useSteps } from "../lib/useSteps";
import type { ReaderProps } from "../Reader";
import { Head, StepBar } from "./Head";
import { Opened } from "./Opened";
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
  const cameFrom = useHistoryState<{ from?: string } | null>()?.from;
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    root.current?.focus({ preventScroll: true });
  }, []);
  const isGone = source.error instanceof ApiError && (source.error.status === 404 || source.error.status === 403);
  return (
    <div ref={root} className={styles.reader} data-testid="reader" role={isNarrow ? "main" : undefined} tabIndex={-1}>
      <Head title={source.data?.title ?? ""} steps={steps} hasAnswer={place.turn !== null} hasSearch={cameFrom === "find"} isNarrow={isNarrow} />
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
