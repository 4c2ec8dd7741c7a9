import { useState } from "react";
import { Link, useRoute } from "wouter";
import { Gone } from "@/app/workspace/Gone";
import { Shell } from "@/app/Shell";
import { Questions } from "@/features/misses/components/Questions";
import { AddDialog } from "@/features/sources/components/AddDialog";
import { ApiError } from "@/shared/api/client";
import { useNotebook } from "@/shared/api/queries";
import { useT } from "@/shared/i18n/i18n";
import { workspaceAddress } from "@/shared/lib/addresses";
import { useTitle } from "@/shared/lib/title";
import { Button } from "@/shared/ui/Button";
import { Trouble } from "@/shared/ui/Trouble";

/** `/n/:id/questions`. */
export default function QuestionsPage() {
  const [, params] = useRoute("/n/:id/questions");
  return params ? <Opened key={params.id} notebookId={params.id} /> : null;
}

function Opened({ notebookId }: { notebookId: string }) {
  const t = useT();
  const notebook = useNotebook(notebookId);
  const [isAdding, setAdding] = useState(false);
  useTitle(notebook.data ? `${t("misses.title")} · ${notebook.data.title}` : undefined);
  const isGone = notebook.error instanceof ApiError && (notebook.error.status === 404 || notebook.error.status === 422);
  if (isGone || (notebook.data && notebook.data.role !== "owner")) return <Gone />;
  return (
    <Shell
      title={t("misses.title")}
      lead={t("misses.lead")}
      above={
        <Link href={workspaceAddress(notebookId)} dir="auto">
          {notebook.data?.title || t("nav.back_home")}
        </Link>
      }
      actions={
        <Button icon="add" onClick={() => setAdding(true)}>
          {t("sources.add")}
        </Button>
      }
    >
      {notebook.isError ? <Trouble error={notebook.error} onRetry={() => void notebook.refetch()} /> : null}
      {notebook.data ? <Questions notebookId={notebookId} onAdd={() => setAdding(true)} /> : null}
      {isAdding ? <AddDialog notebookId={notebookId} tab="files" pasted="" onClose={() => setAdding(false)} /> : null}
    </Shell>
  );
}
