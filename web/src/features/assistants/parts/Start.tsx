import { useState } from "react";
import { Link } from "wouter";
import { useChangeAssistant, type Assistant } from "@/features/assistants/api";
import { stateWords } from "@/features/assistants/components/AssistantList";
import { Recut } from "@/features/assistants/components/Recut";
import { SaveBar } from "@/features/assistants/components/SaveBar";
import { assistantAddress } from "@/features/assistants/lib/places";
import { ago, useT, type Key } from "@/shared/i18n/i18n";
import { purposeOptions, type Purpose } from "@/shared/lib/purposes";
import { Choice } from "@/shared/ui/Choice";
import { Field } from "@/shared/ui/Field";
import parts from "@/features/assistants/components/Parts.module.css";
import styles from "@/features/assistants/components/Assistants.module.css";

const NEEDS: Record<string, Key> = { docs: "assistants.needs_docs", persona: "assistants.needs_persona", product: "assistants.needs_product" };

/** What it is for, its name and address, and where it stands. */
export function Start({ row, canChange }: { row: Assistant; canChange: boolean }) {
  const t = useT();
  const save = useChangeAssistant(row.id);
  const [name, setName] = useState(row.name);
  const [slug, setSlug] = useState(row.slug);
  const [profile, setProfile] = useState(row.profile as Purpose);
  const [isLocal, setLocal] = useState(row.local_only);
  const needs = NEEDS[profile];
  const change = { ...(name === row.name ? {} : { name: name.trim() }), ...(slug === row.slug ? {} : { slug }), ...(profile === row.profile ? {} : { profile }), ...(isLocal === row.local_only ? {} : { local_only: isLocal }) };
  return (
    <div className={styles.form}>
      <p data-testid="assistant-state">
        <strong>{t(stateWords(row))}.</strong>{" "}
        {row.published_at ? t("assistants.publishedAgo", { ago: ago(row.published_at) }) : t("assistants.draftNote")}{" "}
        {row.published_at && row.has_changes ? t("assistants.hasChangesNote") : ""}
      </p>
      {row.sources.given === 0 ? (
        <p>
          <Link href={assistantAddress(row.id, "sources")}>{t("assistants.giveSources")}</Link>
        </p>
      ) : null}
      <Field label={t("assistants.name")} hint={t("assistants.nameHint")}>
        {(ids) => <input {...ids} maxLength={200} dir="auto" disabled={!canChange} value={name} onChange={(event) => setName(event.target.value)} />}
      </Field>
      <Field label={t("assistants.slug")} hint={t("assistants.slugHint")} error={/^[a-z0-9][a-z0-9-]{1,62}$/.test(slug) ? null : t("assistants.slugWrong")}>
        {(ids) => <input {...ids} maxLength={63} spellCheck={false} disabled={!canChange} value={slug} onChange={(event) => setSlug(event.target.value)} />}
      </Field>
      <Choice
        legend={t("assistants.purpose")}
        name="profile"
        value={profile}
        options={purposeOptions(t)}
        onChange={(next) => canChange && setProfile(next)}
      />
      {needs ? (
        <p className={styles.meta}>
          {t("assistants.needs")} {t(needs)}
        </p>
      ) : null}
      <Recut row={row} canChange={canChange} />
      <label className={styles.switch}>
        <input type="checkbox" checked={isLocal} disabled={!canChange} aria-describedby="local-note" onChange={(event) => setLocal(event.target.checked)} />
        <span>
          {t("assistants.local")}
          <span id="local-note" className={`${styles.meta} ${parts.under}`}>
            {t("assistants.localNote")}
          </span>
        </span>
      </label>
      {canChange ? <SaveBar save={save} isChanged={Object.keys(change).length > 0 && name.trim() !== ""} onSave={() => save.mutate(change)} /> : null}
    </div>
  );
}
