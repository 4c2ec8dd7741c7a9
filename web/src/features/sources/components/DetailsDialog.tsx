import { useState, type FormEvent } from "react";
import { useSaveDetails } from "@/features/sources/api";
import type { Source } from "@/shared/api/types";
import { bytes, clock, date, useT } from "@/shared/i18n/i18n";
import { kindName } from "@/shared/lib/kinds";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { Field } from "@/shared/ui/Field";
import styles from "@/features/sources/components/DetailsDialog.module.css";

/** What is known of a source and can be put right by hand: title, authors, year, DOI, labels, an id of one's own. */
export function DetailsDialog({ source, notebookId, onClose }: { source: Source; notebookId: string; onClose: () => void }) {
  const t = useT();
  const save = useSaveDetails(notebookId);
  const [title, setTitle] = useState(source.title);
  const [authors, setAuthors] = useState(source.authors.join("; "));
  const [year, setYear] = useState(source.year === null ? "" : String(source.year));
  const [doi, setDoi] = useState(source.doi ?? "");
  const [labels, setLabels] = useState(source.labels.join(", "));
  const [externalId, setExternalId] = useState(source.external_id ?? "");
  const yearError = year.trim() !== "" && !/^\d{4}$/.test(year.trim()) ? t("details.year_bad") : null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (yearError || title.trim() === "") return;
    const details = {
      title: title.trim(),
      authors: parts(authors, ";"),
      year: year.trim() === "" ? null : Number(year),
      doi: doi.trim() || null,
      labels: parts(labels, ","),
      external_id: externalId.trim() || null,
    };
    save.mutate({ id: source.id, details }, { onSuccess: onClose });
  };
  const facts = [
    [t("details.kind"), kindName(source)],
    source.duration_ms ? [t("details.length"), clock(source.duration_ms)] : null,
    source.file_name ? [t("details.file"), source.file_name] : null,
    source.byte_size > 0 ? [t("details.size"), bytes(source.byte_size)] : null,
    [t("details.added"), date(source.created_at, { dateStyle: "medium", timeStyle: "short" })],
    source.fetched_at ? [t("details.fetched"), date(source.fetched_at, { dateStyle: "medium", timeStyle: "short" })] : null,
  ].filter((fact): fact is string[] => fact !== null);
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("details.title")}
      testId="details"
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button look="primary" type="submit" form="source-details" disabled={save.isPending || title.trim() === "" || yearError !== null}>
            {t("ui.save")}
          </Button>
        </>
      }
    >
      <form id="source-details" className={styles.fields} onSubmit={submit}>
        <Field label={t("details.name")}>{(ids) => <input {...ids} autoFocus data-autofocus="" dir="auto" value={title} onChange={(event) => setTitle(event.target.value)} />}</Field>
        <Field label={t("details.authors")} hint={t("details.authors_hint")}>
          {(ids) => <input {...ids} value={authors} onChange={(event) => setAuthors(event.target.value)} />}
        </Field>
        <div className={styles.pair}>
          <Field label={t("details.year")} error={yearError}>
            {(ids) => <input {...ids} inputMode="numeric" value={year} onChange={(event) => setYear(event.target.value)} />}
          </Field>
          <Field label={t("details.doi")}>{(ids) => <input {...ids} value={doi} onChange={(event) => setDoi(event.target.value)} />}</Field>
        </div>
        <Field label={t("details.labels")} hint={t("details.labels_hint")}>
          {(ids) => <input {...ids} value={labels} onChange={(event) => setLabels(event.target.value)} />}
        </Field>
        <Field label={t("details.external_id")} hint={t("details.external_id_hint")}>
          {(ids) => <input {...ids} dir="ltr" spellCheck={false} maxLength={300} value={externalId} onChange={(event) => setExternalId(event.target.value)} />}
        </Field>
      </form>
      <dl className={styles.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {source.url ? (
          <div>
            <dt>{t("details.address")}</dt>
            <dd>
              <a href={source.url} target="_blank" rel="noreferrer noopener">
                {source.url}
              </a>
            </dd>
          </div>
        ) : null}
      </dl>
    </Dialog>
  );
}

function parts(text: string, by: string): string[] {
  return text.split(by).map((part) => part.trim()).filter(Boolean);
}
