import { Link, useLocation } from "wouter";
import { useChangeNotebook, useSaveNotebookSettings } from "@/features/notebooks/api";
import { useHasModel, useMisses } from "@/shared/api/queries";
import { useReindex } from "@/shared/api/reindex";
import type { Notebook } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { MODELS, questionsAddress } from "@/shared/lib/addresses";
import { purposeOptions, type Purpose } from "@/shared/lib/purposes";
import { Button } from "@/shared/ui/Button";
import { Choice } from "@/shared/ui/Choice";
import { Dialog } from "@/shared/ui/Dialog";
import { Note } from "@/shared/ui/Note";
import styles from "@/features/notebooks/components/NotebookSettings.module.css";

/** How this notebook's sources are made ready for the search, and those that were made ready otherwise. */
export function NotebookSettings({ notebook, onClose }: { notebook: Notebook; onClose: () => void }) {
  const t = useT();
  const [, go] = useLocation();
  const save = useSaveNotebookSettings(notebook.id);
  const change = useChangeNotebook(notebook.id);
  const reindex = useReindex(notebook.id);
  const canDescribe = useHasModel("caption");
  const isOn = save.isPending ? save.variables.captions === true : notebook.captions;
  return (
    <Dialog open onClose={onClose} title={t("book.title")} testId="notebook-settings">
      <div className={styles.parts}>
        <Unanswered notebookId={notebook.id} />
        <Choice legend={t("purpose.ask")} name="purpose" value={notebook.profile as Purpose} options={purposeOptions(t)} onChange={(profile) => change.mutate({ profile })} />
        <div>
          <label className={styles.check}>
            <input
              type="checkbox"
              checked={isOn}
              disabled={save.isPending || (!canDescribe && !isOn)}
              aria-describedby="captions-note"
              onChange={(event) => save.mutate({ captions: event.target.checked })}
            />
            {t("book.captions")}
          </label>
          <p id="captions-note" className={styles.note}>
            {t("book.captions_note")}
          </p>
          {canDescribe ? null : (
            <p className={styles.note}>
              {t("book.captions_needs")}{" "}
              <Button look="link" small onClick={() => go(MODELS)}>
                {t("book.connect")}
              </Button>
            </p>
          )}
        </div>
        {notebook.reindexing ? <p className={styles.quiet}>{t("book.reindexing")}</p> : null}
        {notebook.stale > 0 && !notebook.reindexing ? (
          <Note icon="refresh" testId="stale-count">
            <p>{t("sources.stale_n", { n: notebook.stale })}</p>
            <p>
              <Button look="link" small disabled={reindex.isPending} onClick={() => reindex.mutate(undefined, { onSuccess: onClose })}>
                {t("sources.reread")}
              </Button>
            </p>
          </Note>
        ) : null}
        {notebook.stale === 0 && !notebook.reindexing ? <p className={styles.quiet}>{t("book.up_to_date")}</p> : null}
      </div>
    </Dialog>
  );
}

/** How many questions found no answer, and the way to them; quiet when there are none. */
function Unanswered({ notebookId }: { notebookId: string }) {
  const t = useT();
  const open = useMisses(notebookId, "open").data?.length;
  return (
    <p className={styles.unanswered}>
      <Link href={questionsAddress(notebookId)} data-testid="to-misses">
        {t("misses.title")}
      </Link>
      {open ? <span className={styles.quiet}>{t("misses.openCount", { n: open })}</span> : null}
    </p>
  );
}
