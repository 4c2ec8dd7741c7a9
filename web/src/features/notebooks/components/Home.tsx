import { useState } from "react";
import { useLocation } from "wouter";
import { useCreateNotebook } from "@/features/notebooks/api";
import { NoNotebooks } from "@/features/notebooks/components/NoNotebooks";
import { NotebookCard } from "@/features/notebooks/components/NotebookCard";
import { useNotebooks } from "@/shared/api/queries";
import { useT } from "@/shared/i18n/i18n";
import { workspaceAddress } from "@/shared/lib/addresses";
import { Button } from "@/shared/ui/Button";
import { SearchField } from "@/shared/ui/SearchField";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/notebooks/components/Home.module.css";
import toolbar from "@/shared/ui/Toolbar.module.css";

const SEARCH_FROM = 7; // below that a glance finds it

/** All notebooks as cards, the one asked last first. */
export function Home({ onSample, busy }: { onSample: () => void; busy: boolean }) {
  const t = useT();
  const [, go] = useLocation();
  const notebooks = useNotebooks();
  const create = useCreateNotebook((made) => go(workspaceAddress(made.id)));
  const [query, setQuery] = useState("");

  if (notebooks.isError) return <Trouble error={notebooks.error} onRetry={() => void notebooks.refetch()} />;
  if (!notebooks.data) return null;
  if (notebooks.data.length === 0) return <NoNotebooks onNew={() => create.mutate()} onSample={onSample} busy={busy || create.isPending} />;
  const wanted = query.trim().toLowerCase();
  const shown = notebooks.data
    .filter((notebook) => notebook.title.toLowerCase().includes(wanted))
    .sort((a, b) => lastTouched(b.last_asked_at ?? b.updated_at) - lastTouched(a.last_asked_at ?? a.updated_at));
  return (
    <>
      {notebooks.data.length >= SEARCH_FROM ? (
        <div className={toolbar.toolbar}>
          <SearchField label={t("home.search")} value={query} onChange={setQuery} />
        </div>
      ) : null}
      {shown.length === 0 ? <p className={styles.none}>{t("ui.nothing_matches", { query })}</p> : null}
      <ul className={styles.cards} data-testid="notebooks">
        {shown.map((notebook) => (
          <NotebookCard key={notebook.id} notebook={notebook} />
        ))}
      </ul>
    </>
  );
}

export function NewNotebook() {
  const t = useT();
  const [, go] = useLocation();
  const create = useCreateNotebook((made) => go(workspaceAddress(made.id)));
  return (
    <Button look="primary" icon="add" disabled={create.isPending} onClick={() => create.mutate()}>
      {t("home.new")}
    </Button>
  );
}

function lastTouched(time: string): number {
  return new Date(time).getTime();
}
