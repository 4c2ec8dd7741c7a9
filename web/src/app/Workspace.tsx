import { useCallback, useEffect, useState } from "react";
import { useLocation, useRoute, useSearch } from "wouter";
import { Gone } from "@/app/workspace/Gone";
import { Columns } from "@/app/workspace/Columns";
import { WorkspaceHeader } from "@/app/workspace/WorkspaceHeader";
import { AddDialog } from "@/features/sources/components/AddDialog";
import type { AddTab } from "@/features/sources/components/AddPanel";
import { DropTarget } from "@/features/sources/components/DropTarget";
import { ApiError } from "@/shared/api/client";
import { useNotebook } from "@/shared/api/queries";
import { useT } from "@/shared/i18n/i18n";
import { sourceAddress } from "@/shared/lib/addresses";
import { mayEdit } from "@/shared/lib/roles";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { useTitle } from "@/shared/lib/title";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/app/Workspace.module.css";

/** `/n/:id` and what hangs below it: one notebook with its sources, its chat and its studio. */
export default function Workspace() {
  const [, params] = useRoute("/n/:id/*?");
  return params ? <Opened key={params.id} notebookId={params.id} /> : null;
}

function Opened({ notebookId }: { notebookId: string }) {
  const t = useT();
  const [, go] = useLocation();
  const [, talk] = useRoute("/n/:id/c/:conversation");
  const [, open] = useRoute("/n/:id/s/:source");
  const [, note] = useRoute("/n/:id/notes/:note");
  const beside = new URLSearchParams(useSearch()).get("c");
  const notebook = useNotebook(notebookId);
  const [adding, setAdding] = useState<{ tab: AddTab; pasted: string } | null>(null);
  const conversationId = talk?.conversation ?? beside ?? undefined;
  const add = useCallback((tab: AddTab = "files", pasted = "") => setAdding({ tab, pasted }), []);
  const canEdit = mayEdit(notebook.data?.role);

  useTitle(notebook.data?.title);
  useShortcuts({ a: () => add() }, canEdit);
  useEffect(() => {
    const ask = (): void => add();
    addEventListener("sourcebook:add", ask);
    return () => removeEventListener("sourcebook:add", ask);
  }, [add]);

  if (notebook.error instanceof ApiError && (notebook.error.status === 404 || notebook.error.status === 422)) return <Gone />;
  if (notebook.isError && !notebook.data) {
    return (
      <main id="main" className={styles.trouble}>
        <Trouble error={notebook.error} onRetry={() => void notebook.refetch()} />
      </main>
    );
  }
  if (!notebook.data) return null;
  return (
    <div className={styles.frame} data-reader={open || note ? "open" : undefined}>
      <a className={styles.skip} href="#main">
        {t("ui.skip")}
      </a>
      <WorkspaceHeader notebook={notebook.data} />
      <Columns
        notebook={notebook.data}
        conversationId={conversationId}
        sourceId={open?.source ?? null}
        noteId={note?.note ?? null}
        onAdd={() => add()}
        onOpen={(id) => go(sourceAddress(notebookId, id, conversationId))}
      />
      {canEdit ? <DropTarget notebookId={notebookId} title={notebook.data.title} onPaste={add} /> : null}
      {adding ? <AddDialog notebookId={notebookId} tab={adding.tab} pasted={adding.pasted} onClose={() => setAdding(null)} /> : null}
    </div>
  );
}
