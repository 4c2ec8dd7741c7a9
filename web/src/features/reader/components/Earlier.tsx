import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { readerAddress, readerPlace, type At } from "@/features/citations/lib/address";
import type { Source } from "@/shared/api/types";
import { date, useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Note } from "@/shared/ui/Note";
import { findIn } from "../lib/find";
import { readAllPassages, textKey } from "../lib/queries";
import { shapeOf } from "../lib/shape";
import styles from "./Reader.module.css";

export interface EarlierProps {
  source: Source;
  readAt: string | null;
  hasFile: boolean;
  quote: string;
}

/** What is shown is an earlier reading: when it was made, when the source was read again, the way to the new text. */
export function Earlier({ source, readAt, hasFile, quote }: EarlierProps) {
  const t = useT();
  const { state, look } = useNewReading(source, quote);
  const again = source.ready_at ?? source.updated_at;
  const isTextOnly = !hasFile && !["text", "table"].includes(shapeOf(source));
  const words = readAt ? t(quote ? "reader.earlierNamed" : "reader.earlierText", daysApart(readAt, again)) : t("reader.earlier", { date: date(again) });
  return (
    <div className={styles.note}>
      <Note tone="warning" icon="warning" testId="earlier-reading">
        {words} {isTextOnly ? `${t("reader.fileReplaced")} ` : null}
        {state !== "absent" ? (
          <Button look="link" disabled={state === "looking"} onClick={() => void look()}>
            {t(quote ? "reader.lookNew" : "reader.showNew")}
          </Button>
        ) : null}
        <span role="status">{state === "absent" ? t("reader.notInNew") : state === "failed" ? t("reader.failed") : null}</span>
      </Note>
    </div>
  );
}

/** Both days as words; of one and the same day with the time as well. */
function daysApart(old: string, now: string): { old: string; new: string } {
  const isSameDay = date(old) === date(now);
  const style: Intl.DateTimeFormatOptions = isSameDay ? { dateStyle: "medium", timeStyle: "short" } : { dateStyle: "medium" };
  return { old: date(old, style), new: date(now, style) };
}

type Looked = "" | "looking" | "absent" | "failed";

/** Goes to the current reading: to the quote, when there is one; `absent` when it is not there any more. */
function useNewReading(source: Source, quote: string): { state: Looked; look: () => Promise<void> } {
  const client = useQueryClient();
  const [path, navigate] = useLocation();
  const [state, setState] = useState<Looked>("");
  const goTo = (at: At | null): void => {
    const place = readerPlace(location.search);
    const notebookId = path.split("/")[2] ?? "";
    navigate(readerAddress({ notebookId, sourceId: source.id, ...place, at, reading: source.reading_id }), { replace: true, state: history.state as unknown });
  };
  const look = async (): Promise<void> => {
    if (!quote) return goTo(null);
    setState("looking");
    try {
      const passages = await client.fetchQuery({ queryKey: [...textKey(source.id, source.reading_id), "all"], queryFn: ({ signal }) => readAllPassages(source.id, source.reading_id, signal) });
      const at = findIn(passages, quote)[0];
      setState(at ? "" : "absent");
      if (at) goTo(at);
    } catch {
      setState("failed"); // the connection or the gateway; the button is still there
    }
  };
  return { state, look };
}
