import { useState, type FormEvent } from "react";
import { useGrant, useLibrary } from "@/features/sources/api";
import { sorted } from "@/features/sources/lib/order";
import { statusLine } from "@/features/sources/lib/status";
import { useSources } from "@/shared/api/queries";
import { useT } from "@/shared/i18n/i18n";
import { kindName } from "@/shared/lib/kinds";
import { Button } from "@/shared/ui/Button";
import { SearchField } from "@/shared/ui/SearchField";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/sources/components/tabs.module.css";

const SEARCH_FROM = 8;

/** Sources of other notebooks: linking one costs nothing and reads nothing again. */
export function LibraryTab({ notebookId, onDone }: { notebookId: string; onDone: () => void }) {
  const t = useT();
  const library = useLibrary();
  const here = useSources(notebookId);
  const grant = useGrant(notebookId);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [query, setQuery] = useState("");
  if (library.isError) return <Trouble error={library.error} onRetry={() => void library.refetch()} />;
  if (!library.data) return null;
  const known = new Set(here.data?.map((row) => row.id));
  const others = library.data.filter((row) => !known.has(row.id) && row.status !== "failed");
  if (others.length === 0) return <p className={styles.none}>{t("add.library_empty")}</p>;
  const toggle = (id: string): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const linked = await Promise.allSettled([...chosen].map((id) => grant.mutateAsync({ id, grant: "given" })));
    if (linked.every((one) => one.status === "fulfilled")) onDone();
  };
  return (
    <form onSubmit={(event) => void submit(event)} className={styles.form}>
      <p className={styles.lead}>{t("add.library_lead")}</p>
      {others.length >= SEARCH_FROM ? (
        <SearchField label={t("sources.search")} value={query} onChange={setQuery} />
      ) : null}
      <ul className={styles.list}>
        {sorted(others, "title", query).map((row) => (
          <li key={row.id}>
            <label className={styles.item}>
              <input type="checkbox" checked={chosen.has(row.id)} onChange={() => toggle(row.id)} />
              <span dir="auto">
                {row.title}
                <span className={styles.meta}>
                  {kindName(row)} · {statusLine(row).text}
                </span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      <div className={styles.end}>
        <Button look="primary" type="submit" disabled={chosen.size === 0 || grant.isPending}>
          {t("add.add_n", { n: chosen.size })}
        </Button>
      </div>
    </form>
  );
}
