import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { putSources } from "@/features/sources/api";
import { AddButton } from "@/features/sources/components/AddButton";
import { ListNotes } from "@/features/sources/components/ListNotes";
import { NoWorker } from "@/features/sources/components/NoWorker";
import { SourceList } from "@/features/sources/components/SourceList";
import { SitesPanel } from "@/features/sources/components/SitesPanel";
import { SourcesToolbar } from "@/features/sources/components/SourcesToolbar";
import { sorted, type Sort } from "@/features/sources/lib/order";
import { notePace } from "@/features/sources/lib/pace";
import { isWorking } from "@/features/sources/lib/status";
import { onArrived, useUploads } from "@/features/sources/lib/uploads";
import { useSources } from "@/shared/api/queries";
import type { Notebook, Source } from "@/shared/api/types";
import { t, useT } from "@/shared/i18n/i18n";
import { useRemembered } from "@/shared/lib/remembered";
import { mayEdit } from "@/shared/lib/roles";
import { toast } from "@/shared/ui/toast";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/sources/components/SourcesColumn.module.css";

const NONE: Source[] = [];

export interface SourcesColumnProps {
  notebook: Notebook;
  openId: string | null;
  onOpen: (sourceId: string) => void;
  onAdd: () => void;
}

/** What the notebook knows: its sources with live states, and what is on its way to become one. */
export function SourcesColumn({ notebook, openId, onOpen, onAdd }: SourcesColumnProps) {
  useT();
  const client = useQueryClient();
  const sources = useSources(notebook.id);
  const uploads = useUploads(notebook.id);
  const [query, setQuery] = useState("");
  const [sort, setSort] = useRemembered<Sort>("sources.sort", "added");
  const [site, setSite] = useState<string | null>(null);
  const canEdit = mayEdit(notebook.role);
  const rows = sources.data;
  const known = rows ?? NONE;

  useEffect(() => {
    onArrived((notebookId, arrived, wasKnown) => {
      putSources(client, notebookId, arrived);
      if (wasKnown) toast(t("add.known", { n: arrived.length, title: arrived[0]?.title ?? "" }));
    });
  }, [client]);
  useEffect(() => {
    for (const row of known) if (row.progress && row.status !== "queued") notePace(row.id, row.progress.step, row.progress.done);
  }, [known]);

  const isOfSite = site !== null && known.some((row) => row.site_id === site);
  const listed = isOfSite ? known.filter((row) => row.site_id === site) : known;
  const shown = sorted(listed, sort, query);
  const nothing = nothingWords(query, shown.length, rows?.length === 0 && uploads.length === 0);
  return (
    <div className={styles.column}>
      {canEdit ? <AddButton onAdd={onAdd} /> : null}
      <NoWorker working={known.some(isWorking)} />
      {sources.isError && !rows ? <Trouble error={sources.error} onRetry={() => void sources.refetch()} /> : null}
      {rows && canEdit ? <ListNotes notebook={notebook} sources={rows} /> : null}
      <SitesPanel notebookId={notebook.id} sources={known} canEdit={canEdit} only={isOfSite ? site : null} onOnly={setSite} />
      {rows && rows.length > 0 ? (
        <SourcesToolbar notebookId={notebook.id} sources={listed} query={query} onQuery={setQuery} sort={sort} onSort={setSort} />
      ) : null}
      {nothing ? <p className={styles.none}>{nothing}</p> : null}
      <SourceList notebook={notebook} sources={shown} uploads={uploads} openId={openId} canEdit={canEdit} onOpen={onOpen} />
    </div>
  );
}

/** Why the list is empty; null when it is not. */
function nothingWords(query: string, shown: number, isEmpty: boolean): string | null {
  if (query !== "" && shown === 0) return t("ui.nothing_matches", { query });
  return isEmpty ? t("sources.empty") : null;
}
