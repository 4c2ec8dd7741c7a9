import { useState } from "react";
import { useAssistantSources, useGrant, type Assistant, type AssistantSource } from "@/features/assistants/api";
import { Recut } from "@/features/assistants/components/Recut";
import { metaChips } from "@/features/assistants/lib/meta";
import { useT, type Key } from "@/shared/i18n/i18n";
import { iconOf } from "@/shared/lib/kinds";
import { Choice } from "@/shared/ui/Choice";
import { Icon } from "@/shared/ui/Icon";
import { SearchField } from "@/shared/ui/SearchField";
import { Trouble } from "@/shared/ui/Trouble";
import parts from "@/features/assistants/components/Parts.module.css";
import styles from "@/features/assistants/components/Assistants.module.css";

type State = AssistantSource["state"];
const STATES: [State, Key][] = [
  ["given", "assistants.given"],
  ["paused", "assistants.paused"],
  ["none", "assistants.notGiven"],
];
const SHOWN = 200; // rows drawn at once; the search narrows the rest

/** Each source of the library: given, paused or not given. */
export function Sources({ row }: { row: Assistant }) {
  const t = useT();
  const sources = useAssistantSources(row.id);
  const [query, setQuery] = useState("");
  const [only, setOnly] = useState<State | "all">("all");
  const wanted = query.trim().toLowerCase();
  const all = sources.data ?? [];
  const shown = all.filter((one) => (only === "all" || one.state === only) && one.title.toLowerCase().includes(wanted));
  return (
    <div className={styles.part}>
      <p>{t("assistants.sourcesLead")}</p>
      <Recut row={row} canChange={row.role !== "viewer"} />
      {sources.isError ? <Trouble error={sources.error} onRetry={() => void sources.refetch()} /> : null}
      <div className={styles.row}>
        <SearchField label={t("assistants.search")} value={query} onChange={setQuery} />
        <Choice
          inline
          legend={t("assistants.show")}
          name="only"
          value={only}
          options={[{ value: "all" as const, label: `${t("assistants.all")} (${all.length})` }, ...STATES.map(([value, key]) => ({ value, label: `${t(key)} (${all.filter((one) => one.state === value).length})` }))]}
          onChange={setOnly}
        />
      </div>
      {sources.data && shown.length === 0 ? <p className={styles.meta}>{all.length === 0 ? t("assistants.noSources") : t("ui.nothing_matches", { query })}</p> : null}
      <ul className={styles.rows} data-testid="assistant-sources">
        {shown.slice(0, SHOWN).map((one) => (
          <Row key={one.id} assistant={row} one={one} />
        ))}
      </ul>
      {shown.length > SHOWN ? <p className={styles.meta}>{t("assistants.moreSources", { n: shown.length - SHOWN })}</p> : null}
    </div>
  );
}

const FOUND: Record<AssistantSource["searchable"], Key> = { none: "assistants.notFoundYet", words: "assistants.byWords", full: "assistants.ready" };

function Row({ assistant, one }: { assistant: Assistant; one: AssistantSource }) {
  const t = useT();
  const grant = useGrant(assistant.id);
  const chips = assistant.profile === "product" ? metaChips(one.meta, t) : [];
  const canGive = assistant.role === "owner";
  const states = assistant.role === "viewer" ? STATES.filter(([state]) => state === one.state) : STATES.filter(([state]) => canGive || state !== "none");
  return (
    <li className={styles.row} data-testid="assistant-source">
      <div className={styles.what}>
        <p dir="auto">
          <Icon name={iconOf(one.kind as never)} size={16} /> {one.title}
        </p>
        <p className={styles.meta}>{one.status === "failed" ? t("assistants.failed") : one.state === "given" ? t(FOUND[one.searchable]) : one.labels.join(", ")}</p>
        {chips.length > 0 ? (
          <ul className={parts.chips}>
            {chips.map((chip) => (
              <li key={chip} dir="auto">
                {chip}
              </li>
            ))}
          </ul>
        ) : null}
      </div>
      <fieldset className={styles.states}>
        <legend className="heard">{one.title}</legend>
        {states.map(([state, key]) => (
          <label key={state}>
            <input type="radio" name={`state-${one.id}`} checked={one.state === state} onChange={() => grant.mutate({ row: one, state })} />
            {t(key)}
          </label>
        ))}
      </fieldset>
    </li>
  );
}
