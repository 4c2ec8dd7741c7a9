import { isByWordsOnly } from "@/features/find/lib/place";
import { useNotebooks, useSources } from "@/shared/api/queries";
import { useT } from "@/shared/i18n/i18n";
import { Icon } from "@/shared/ui/Icon";
import styles from "@/features/find/components/Find.module.css";

interface NotesProps {
  notebookId: string | null;
  words: string;
  degraded: readonly string[];
}

/** What this search could not look at, or looked at by words only. */
export function FindNotes({ notebookId, words, degraded }: NotesProps) {
  const t = useT();
  const isByWords = isByWordsOnly(words);
  return (
    <div className={styles.notes}>
      {isByWords ? <Line text={t("find.byWordsAsked")} /> : null}
      {degraded.includes("words_only") && !isByWords ? <Line text={t("find.wordsOnly")} isWarning /> : null}
      {notebookId ? <OfNotebook notebookId={notebookId} /> : <OfAll />}
    </div>
  );
}

function OfNotebook({ notebookId }: { notebookId: string }) {
  const t = useT();
  const sources = useSources(notebookId).data ?? [];
  const coming = sources.filter((source) => source.status === "queued" || source.status === "reading" || source.status === "indexing");
  const byWords = coming.filter((source) => source.searchable === "words").length;
  const notYet = coming.filter((source) => source.searchable === "none").length;
  return (
    <>
      {byWords > 0 ? <Line text={t("find.byWords", { n: byWords })} /> : null}
      {notYet > 0 ? <Line text={t("find.notYet", { n: notYet })} /> : null}
    </>
  );
}

function OfAll() {
  const t = useT();
  const working = (useNotebooks().data ?? []).reduce((sum, notebook) => sum + notebook.source_counts.working, 0);
  return working > 0 ? <Line text={t("find.working", { n: working })} /> : null;
}

function Line({ text, isWarning = false }: { text: string; isWarning?: boolean }) {
  return (
    <p className={styles.note} data-warning={isWarning || undefined} data-testid="find-note">
      <Icon name={isWarning ? "warning" : "half"} size={16} />
      {text}
    </p>
  );
}
