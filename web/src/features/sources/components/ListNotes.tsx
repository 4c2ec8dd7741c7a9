import { useApprove, useEstimate } from "@/features/sources/api";
import { useReindex } from "@/shared/api/reindex";
import type { Notebook, Source } from "@/shared/api/types";
import { money, useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Note } from "@/shared/ui/Note";
import styles from "@/features/sources/components/ListNotes.module.css";

/** What several sources wait for at once, said once over the list instead of on each row: a yes to a cost, being read again. */
export function ListNotes({ notebook, sources }: { notebook: Notebook; sources: Source[] }) {
  const t = useT();
  const waiting = sources.filter((row) => row.status === "needs_approval").map((row) => row.id);
  return (
    <>
      {waiting.length > 1 ? <Together notebookId={notebook.id} waiting={waiting} /> : null}
      {notebook.reindexing ? <Note compact>{t("book.reindexing")}</Note> : null}
      {notebook.stale > 1 && !notebook.reindexing ? <Stale notebookId={notebook.id} n={notebook.stale} /> : null}
    </>
  );
}

/** M10 for all that wait. */
function Together({ notebookId, waiting }: { notebookId: string; waiting: string[] }) {
  const t = useT();
  const estimate = useEstimate(notebookId, waiting);
  const approve = useApprove(notebookId);
  const total = estimate.data;
  const say = (pages: "all" | "text") => (): void => approve.mutate({ ids: waiting, pages });
  const currency = total?.currency ?? total?.items[0]?.currency;
  return (
    <Note tone="warning" compact testId="approve-all">
      <p>
        {t("approve.sources", { n: waiting.length })}{" "}
        {total && total.pages > 0 ? (total.cost === null ? t("status.approve_unknown", { n: total.pages }) : t("approve.together", { n: total.pages, cost: money(total.cost, currency) })) : null}
      </p>
      <p className={styles.ways}>
        <Button look="link" small disabled={approve.isPending || !total} onClick={say("all")}>
          {t("approve.all")}
        </Button>
        <Button look="link" small disabled={approve.isPending} onClick={say("text")}>
          {t("status.approve_text")}
        </Button>
      </p>
    </Note>
  );
}

function Stale({ notebookId, n }: { notebookId: string; n: number }) {
  const t = useT();
  const reindex = useReindex(notebookId);
  return (
    <Note compact testId="stale">
      <p>{t("sources.stale_n", { n })}</p>
      <p className={styles.ways}>
        <Button look="link" small disabled={reindex.isPending} onClick={() => reindex.mutate()}>
          {t("sources.reread")}
        </Button>
      </p>
    </Note>
  );
}
