import { useState } from "react";
import { Link } from "wouter";
import { useChangeAssistant, useProfiles, type Assistant } from "@/features/assistants/api";
import { stateWords } from "@/features/assistants/components/AssistantList";
import { SaveBar } from "@/features/assistants/components/SaveBar";
import { assistantAddress } from "@/features/assistants/lib/places";
import { ago, useT } from "@/shared/i18n/i18n";
import { Choice } from "@/shared/ui/Choice";
import { Field } from "@/shared/ui/Field";
import styles from "@/features/assistants/components/Assistants.module.css";

/** What it is for, its name and address, and where it stands. */
export function Start({ row, canChange }: { row: Assistant; canChange: boolean }) {
  const t = useT();
  const profiles = useProfiles();
  const save = useChangeAssistant(row.id);
  const [name, setName] = useState(row.name);
  const [slug, setSlug] = useState(row.slug);
  const [profile, setProfile] = useState(row.profile);
  const needs = profiles.data?.find((one) => one.name === profile)?.needs ?? [];
  const change = { ...(name === row.name ? {} : { name: name.trim() }), ...(slug === row.slug ? {} : { slug }), ...(profile === row.profile ? {} : { profile: profile as never }) };
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
        options={(profiles.data ?? []).map((one) => ({ value: one.name, label: one.purpose, note: one.sentence }))}
        onChange={(next) => canChange && setProfile(next)}
      />
      {needs.length > 0 ? (
        <p className={styles.meta}>
          {t("assistants.needs")} {needs.join(" ")}
        </p>
      ) : null}
      {canChange ? <SaveBar save={save} isChanged={Object.keys(change).length > 0 && name.trim() !== ""} onSave={() => save.mutate(change)} /> : null}
    </div>
  );
}
