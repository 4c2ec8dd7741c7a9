import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { putSources } from "@/features/sources/api";
import { AddButton } from "@/features/sources/components/AddButton";
import { NoWorker } from "@/features/sources/components/NoWorker";
import { SourceList } from "@/features/sources/components/SourceList";
import { SourcesToolbar } from "@/features/sources/components/SourcesToolbar";
import { sorted, type Sort } from "@/features/sources/lib/order";
import { notePace } from "@/features/sources/lib/pace";
import { isWorking } from "@/features/sources/lib/status";
import { onArrived, useUploads } from "@/features/sources/lib/uploads";
import { useSources } from "@/shared/api/queries";
import type { Notebook } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { useRemembered } from "@/shared/lib/remembered";
import { toast } from "@/shared/ui/toast";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/sources/components/SourcesColumn.module.css";

export interface SourcesColumnProps {
  notebook: Notebook;
  openId: string | null;
  onOpen: (sourceId: string) => void;
  onAdd: () => void;
}

/** What the notebook knows: its sources with live states, and what is on its way to become one. */
export function SourcesColumn({ notebook, openId, onOpen, onAdd }: SourcesColumnProps) {
  const t = useT();
  const client = useQueryClient();
  const sources = useSources(notebook.id);
  const uploads = useUploads(notebook.id);
  const [query, setQuery] = useState("");
  const [sort, setSort] = useRemembered<Sort>("sources.sort", "added");
  const canEdit = notebook.role === "owner" || notebook.role === "editor";
  const rows = sources.data;

  useEffect(() => {
    onArrived((notebookId, arrived, wasKnown) => {
      putSources(client, notebookId, arrived);
      if (wasKnown) toast(t("add.known", { n: arrived.length, title: arrived[0]?.title ?? "" }));
    });
  }, [client, t]);
  useEffect(() => {
    for (const row of rows ?? []) if (row.progress && row.status !== "queued") notePace(row.id, row.progress.step, row.progress.done);
  }, [rows]);

  const shown = sorted(rows ?? [], sort, query);
  return (
    <div className={styles.column}>
      {canEdit ? <AddButton onAdd={onAdd} /> : null}
      <NoWorker working={(rows ?? []).some(isWorking)} />
      {sources.isError && !rows ? <Trouble error={sources.error} onRetry={() => void sources.refetch()} /> : null}
      {rows && rows.length > 0 ? (
        <SourcesToolbar notebookId={notebook.id} sources={rows} query={query} onQuery={setQuery} sort={sort} onSort={setSort} />
      ) : null}
      {query && shown.length === 0 ? <p className={styles.none}>{t("ui.nothing_matches", { query })}</p> : null}
      {rows?.length === 0 && uploads.length === 0 ? <p className={styles.none}>{t("sources.empty")}</p> : null}
      <SourceList notebook={notebook} sources={shown} uploads={uploads} openId={openId} canEdit={canEdit} onOpen={onOpen} />
    </div>
  );
}
