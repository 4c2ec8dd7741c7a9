import { useState } from "react";
import { useChangeAssistant, type Assistant, type Publication } from "@/features/assistants/api";
import { SaveBar } from "@/features/assistants/components/SaveBar";
import { originOf } from "@/features/assistants/lib/snippet";
import { ago, useT } from "@/shared/i18n/i18n";
import { Choice } from "@/shared/ui/Choice";
import { Field } from "@/shared/ui/Field";
import styles from "@/features/assistants/components/Assistants.module.css";

const ANONYMOUS = "anonymous:"; // begins the subject of a visitor without a sign-in
const linesOf = (text: string): string[] => [...new Set(text.split("\n").map((line) => line.trim()).filter(Boolean))];

/** Off, for people whom a host application vouches for (all or some), or for anybody on some sites: holds at once. */
export function ForWhom({ row, canChange }: { row: Assistant; canChange: boolean }) {
  const t = useT();
  const save = useChangeAssistant(row.id);
  const [mode, setMode] = useState<Publication["mode"]>(row.publication.mode);
  const [origins, setOrigins] = useState((row.publication.origins ?? []).join("\n"));
  const [listed, setListed] = useState<string | null>(row.publication.subjects?.join("\n") ?? null);
  const lines = origins.split(/\s+/).filter(Boolean);
  const wrong = lines.find((line) => originOf(line) === null);
  const sites = [...new Set(lines.flatMap((line) => originOf(line) ?? []))];
  const subjects = listed === null ? null : linesOf(listed);
  const wrongSubject = subjects?.find((one) => one.startsWith(ANONYMOUS));
  const next = { mode, origins: sites, subjects };
  const isChanged = JSON.stringify(next) !== JSON.stringify({ mode: row.publication.mode, origins: row.publication.origins ?? [], subjects: row.publication.subjects ?? null });
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
        onChange={(value) => canChange && setMode(value)}
      />
      {mode === "off" ? null : (
        <>
          <Field label={t("assistants.origins")} hint={t("assistants.originsHint")} error={wrong ? t("assistants.originWrong", { origin: wrong }) : null}>
            {(ids) => <textarea {...ids} rows={3} spellCheck={false} disabled={!canChange} value={origins} onChange={(event) => setOrigins(event.target.value)} />}
          </Field>
          <Choice
            legend={t("assistants.subjects")}
            name="subjects"
            value={listed === null ? "all" : "listed"}
            options={[
              { value: "all" as const, label: t("assistants.subjectsAll") },
              { value: "listed" as const, label: t("assistants.subjectsListed") },
            ]}
            onChange={(value) => canChange && setListed(value === "all" ? null : (row.publication.subjects ?? []).join("\n"))}
          />
          {listed === null ? null : (
            <Field
              label={t("assistants.subjectsField")}
              hint={`${t("assistants.subjectsHint")} ${subjects?.length ? t("assistants.subjectsCount", { n: subjects.length }) : t("assistants.subjectsNobody")}`}
              error={wrongSubject ? t("assistants.subjectWrong", { subject: wrongSubject }) : null}
            >
              {(ids) => <textarea {...ids} rows={5} spellCheck={false} dir="auto" disabled={!canChange} value={listed} onChange={(event) => setListed(event.target.value)} />}
            </Field>
          )}
        </>
      )}
      {row.seen_origin && row.seen_at ? (
        <p className={styles.meta} data-testid="last-seen">
          {t("assistants.seen", { site: row.seen_origin.replace(/^https?:\/\//, ""), ago: ago(row.seen_at) })}
        </p>
      ) : null}
      {canChange ? <SaveBar save={save} isChanged={isChanged && !wrong && !wrongSubject} onSave={() => save.mutate({ publication: next as Publication })} /> : null}
    </section>
  );
}
