import { useState } from "react";
import { useChangeAssistant, usePublish, type Assistant, type Publication, type Published } from "@/features/assistants/api";
import { SaveBar } from "@/features/assistants/components/SaveBar";
import { Embedding } from "@/features/assistants/parts/Embedding";
import { originOf } from "@/features/assistants/lib/snippet";
import { ago, useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Choice } from "@/shared/ui/Choice";
import { Field } from "@/shared/ui/Field";
import { Note } from "@/shared/ui/Note";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/assistants/components/Assistants.module.css";

/** Publishes the draft after its test questions, says for whom, and gives what the site embeds. */
export function Publish({ row, canChange }: { row: Assistant; canChange: boolean }) {
  const t = useT();
  const publish = usePublish(row.id);
  return (
    <div className={`${styles.form} ${styles.wide}`}>
      <section className={styles.part}>
        <h2>{t("assistants.draftAndPublished")}</h2>
        <p data-testid="publish-state">
          {row.published_at ? `${t("assistants.publishedAgo", { ago: ago(row.published_at) })} ${t(row.has_changes ? "assistants.hasChangesNote" : "assistants.noChanges")}` : t("assistants.draftNote")}
        </p>
        {canChange ? (
          <p className={styles.ways}>
            <Button look="primary" disabled={publish.isPending} onClick={() => publish.mutate("always")}>
              {t("assistants.publishNow")}
            </Button>
            <Button disabled={publish.isPending} onClick={() => publish.mutate("never")}>
              {t("assistants.onlyLook")}
            </Button>
            {publish.isPending ? <span role="status">{t("assistants.testing")}</span> : null}
          </p>
        ) : null}
        {publish.isError ? <Trouble error={publish.error} /> : null}
        {publish.data && !publish.isPending ? <Outcome told={publish.data} /> : null}
      </section>
      <For row={row} canChange={canChange} />
      {row.publication.mode === "off" ? null : <Embedding row={row} />}
    </div>
  );
}

/** "61 of 64 as before, 3 changed", and which. */
function Outcome({ told }: { told: Published }) {
  const t = useT();
  if (told.running) return <Note icon="refresh">{t("assistants.stillRunning")}</Note>;
  return (
    <Note icon={told.published ? "check" : "help"} tone={told.changed ? "warning" : "plain"} testId="publish-outcome">
      <p>
        {told.total === 0 ? t("assistants.noTests") : t("assistants.asBefore", { n: told.as_before, total: told.total, changed: told.changed })} {t(told.published ? "assistants.isPublished" : "assistants.isNotPublished")}
      </p>
      {told.questions && told.questions.length > 0 ? (
        <ul className={styles.questions}>
          {told.questions.map((one) => (
            <li key={one.question_id} dir="auto">
              {one.question} <strong>{t(one.is_right ? "assistants.nowRight" : "assistants.nowWrong")}</strong>
            </li>
          ))}
        </ul>
      ) : null}
    </Note>
  );
}

/** Off, for people whom a host application vouches for, or for anybody on some sites: holds at once. */
function For({ row, canChange }: { row: Assistant; canChange: boolean }) {
  const t = useT();
  const save = useChangeAssistant(row.id);
  const [mode, setMode] = useState<Publication["mode"]>(row.publication.mode);
  const [origins, setOrigins] = useState((row.publication.origins ?? []).join("\n"));
  const lines = origins.split(/\s+/).filter(Boolean);
  const wrong = lines.find((line) => originOf(line) === null);
  const sites = [...new Set(lines.flatMap((line) => originOf(line) ?? []))];
  const isChanged = mode !== row.publication.mode || sites.join() !== (row.publication.origins ?? []).join();
  return (
    <section className={`${styles.part} ${styles.form}`}>
      <h2>{t("assistants.forWhom")}</h2>
      <Choice
        legend={t("assistants.mode")}
        name="mode"
        value={mode}
        options={[
          { value: "off" as const, label: t("assistants.off"), note: t("assistants.offNote") },
          { value: "signed_in" as const, label: t("assistants.signedIn"), note: t("assistants.signedInNote") },
          { value: "public" as const, label: t("assistants.public"), note: t("assistants.publicNote") },
        ]}
        onChange={(next) => canChange && setMode(next)}
      />
      {mode === "off" ? null : (
        <Field label={t("assistants.origins")} hint={t("assistants.originsHint")} error={wrong ? t("assistants.originWrong", { origin: wrong }) : null}>
          {(ids) => <textarea {...ids} rows={3} spellCheck={false} disabled={!canChange} value={origins} onChange={(event) => setOrigins(event.target.value)} />}
        </Field>
      )}
      {row.seen_origin && row.seen_at ? (
        <p className={styles.meta} data-testid="last-seen">
          {t("assistants.seen", { site: row.seen_origin.replace(/^https?:\/\//, ""), ago: ago(row.seen_at) })}
        </p>
      ) : null}
      {canChange ? <SaveBar save={save} isChanged={isChanged && !wrong} onSave={() => save.mutate({ publication: { mode, origins: sites } as never })} /> : null}
    </section>
  );
}
