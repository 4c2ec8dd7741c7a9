import { useId, useState } from "react";
import { useSources } from "@/shared/api/queries";
import type { Source } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { iconOf } from "@/shared/lib/kinds";
import { Icon } from "@/shared/ui/Icon";
import choice from "@/shared/ui/Choice.module.css";
import { SearchField } from "@/shared/ui/SearchField";
import styles from "@/features/misses/components/Misses.module.css";

const SEARCH_FROM = 8;

/** An assistant lists its owner's whole library; a question can only be answered from what it was given. */
const isHeld = (source: Source & { state?: string }): boolean => source.state !== "none";

interface SourceChoiceProps {
  notebookId: string;
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
  error: string | null;
}

/** Some of the notebook's sources. */
export function SourceChoice({ notebookId, chosen, onChange, error }: SourceChoiceProps) {
  const t = useT();
  const id = useId();
  const [query, setQuery] = useState("");
  const sources = (useSources(notebookId).data ?? []).filter((source) => source.status !== "failed" && isHeld(source));
  const wanted = query.trim().toLowerCase();
  const shown = sources.filter((source) => source.title.toLowerCase().includes(wanted));
  const toggle = (sourceId: string): void => {
    const next = new Set(chosen);
    if (!next.delete(sourceId)) next.add(sourceId);
    onChange(next);
  };
  return (
    <fieldset className={`${choice.choice} ${styles.sources}`} aria-describedby={error ? id : undefined}>
      <legend className={choice.legend}>{t("misses.sources")}</legend>
      {sources.length >= SEARCH_FROM ? <SearchField label={t("sources.search")} value={query} onChange={setQuery} /> : null}
      {sources.length === 0 ? <p className={styles.empty}>{t("sources.empty")}</p> : null}
      <ul className={styles.choices}>
        {shown.map((source) => (
          <li key={source.id}>
            <label className={styles.choice}>
              <input type="checkbox" checked={chosen.has(source.id)} onChange={() => toggle(source.id)} />
              <Icon name={iconOf(source)} size={16} />
              <span dir="auto">{source.title}</span>
            </label>
          </li>
        ))}
      </ul>
      {error ? (
        <p id={id} className={styles.error} role="alert">
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}
