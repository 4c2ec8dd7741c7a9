import { useState } from "react";
import { useAssistantSources, useGrant, type Assistant, type AssistantSource } from "@/features/assistants/api";
import { Chosen } from "@/features/assistants/components/Chosen";
import { EvidenceDialog } from "@/features/assistants/components/EvidenceDialog";
import { Recut } from "@/features/assistants/components/Recut";
import { metaChips, metaText } from "@/features/assistants/lib/meta";
import { useT, type Key } from "@/shared/i18n/i18n";
import { iconOf } from "@/shared/lib/kinds";
import { Button } from "@/shared/ui/Button";
import { Choice } from "@/shared/ui/Choice";
import { Icon } from "@/shared/ui/Icon";
import { Note } from "@/shared/ui/Note";
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
// Buttons do what the radios say.
const DEEDS: [State, Key][] = [
  ["given", "assistants.give"],
  ["paused", "assistants.pause"],
  ["none", "assistants.takeBack"],
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
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [told, setTold] = useState<readonly AssistantSource[] | null>(null);
  const isOwner = row.role === "owner";
  const tells = isOwner && row.profile === "product";
  const shown = all.filter((one) => (only === "all" || one.state === only) && one.title.toLowerCase().includes(wanted));
  const chosen = shown.filter((one) => ids.has(one.id));
  const given = all.filter((one) => one.state === "given");
  const choose = (id: string, isIn: boolean): void => setIds(new Set(isIn ? [...ids, id] : [...ids].filter((one) => one !== id)));
  return (
    <div className={styles.part}>
      <p>{t("assistants.sourcesLead")}</p>
      {row.profile === "product" && given.length > 0 && given.every((one) => metaText(one.meta, "evidence") === "") ? (
        <Note tone="warning" icon="warning" testId="no-evidence">
          <p>{t(isOwner ? "assistants.noEvidence" : "assistants.noEvidenceMember")}</p>
          {isOwner ? (
            <p>
              <Button look="link" small onClick={() => setTold(given)}>
                {t("assistants.metaTellAll", { n: given.length })}
              </Button>
            </p>
          ) : null}
        </Note>
      ) : null}
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
      {shown.length > 1 && row.role !== "viewer" ? (
        <Chosen
          assistantId={row.id}
          shown={shown}
          chosen={chosen}
          states={DEEDS.filter(([state]) => isOwner || state !== "none")}
          onChoose={(next) => setIds(new Set(next))}
          onTell={tells ? () => setTold(chosen) : null}
        />
      ) : null}
      <ul className={styles.rows} data-testid="assistant-sources">
        {shown.slice(0, SHOWN).map((one) => (
          <Row key={one.id} assistant={row} one={one} isChosen={ids.has(one.id)} onChoose={shown.length > 1 && row.role !== "viewer" ? (isIn) => choose(one.id, isIn) : null} onTell={tells ? () => setTold([one]) : null} />
        ))}
      </ul>
      {shown.length > SHOWN ? <p className={styles.meta}>{t("assistants.moreSources", { n: shown.length - SHOWN })}</p> : null}
      {told ? <EvidenceDialog assistantId={row.id} sources={told} known={technologies(all)} onClose={() => setTold(null)} /> : null}
    </div>
  );
}

const technologies = (all: readonly AssistantSource[]): string[] => [...new Set(all.flatMap((one) => metaText(one.meta, "technology").split(", ")).filter(Boolean))].sort();

const FOUND: Record<AssistantSource["searchable"], Key> = { none: "assistants.notFoundYet", words: "assistants.byWords", full: "assistants.ready" };

interface RowProps {
  assistant: Assistant;
  one: AssistantSource;
  isChosen: boolean;
  onChoose: ((isIn: boolean) => void) | null;
  onTell: (() => void) | null;
}

function Row({ assistant, one, isChosen, onChoose, onTell }: RowProps) {
  const t = useT();
  const grant = useGrant(assistant.id);
  const chips = assistant.profile === "product" ? metaChips(one.meta, t) : [];
  const canGive = assistant.role === "owner";
  const states = assistant.role === "viewer" ? STATES.filter(([state]) => state === one.state) : STATES.filter(([state]) => canGive || state !== "none");
  return (
    <li className={styles.row} data-testid="assistant-source">
      {onChoose ? <input type="checkbox" className={styles.pick} checked={isChosen} aria-label={t("assistants.choose", { title: one.title })} onChange={(event) => onChoose(event.target.checked)} /> : null}
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
        {onTell ? (
          <Button look="link" small aria-label={t("assistants.metaOf", { title: one.title })} onClick={onTell}>
            {t("assistants.metaTell")}
          </Button>
        ) : null}
      </div>
      <fieldset className={styles.states}>
        <legend className="heard">{one.title}</legend>
        {states.map(([state, key]) => (
          <label key={state}>
            <input type="radio" name={`state-${one.id}`} checked={one.state === state} onChange={() => grant.mutate({ rows: [one], state })} />
            {t(key)}
          </label>
        ))}
      </fieldset>
    </li>
  );
}
