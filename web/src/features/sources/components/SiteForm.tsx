import { useState, type FormEvent } from "react";
import type { LinkFormProps } from "@/features/sources/components/LinksTab";
import { PlanField } from "@/features/sources/components/PlanField";
import { linksIn } from "@/features/sources/lib/links";
import { MAX_PAGES, siteFrom } from "@/features/sources/lib/sites";
import { useAddSite } from "@/features/sources/sitesApi";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Field } from "@/shared/ui/Field";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/sources/components/tabs.module.css";

/** A whole site: its address or that of its sitemap, how many pages at most, and how often it is looked at again. */
export function SiteForm({ notebookId, text, onText, onDone }: LinkFormProps) {
  const t = useT();
  const add = useAddSite(notebookId);
  const [asked, setAsked] = useState(false);
  const [most, setMost] = useState("50");
  const [hours, setHours] = useState<number | null>(null);
  const { urls, bad } = linksIn(text);
  const pages = Number(most);
  const isCount = /^\d+$/.test(most.trim()) && pages >= 1 && pages <= MAX_PAGES;
  const addressError = bad.length > 1 ? t("add.links_bad", { n: bad.length, line: bad[0] ?? "" }) : bad.length === 1 || urls.length === 0 ? t("add.site_bad") : null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setAsked(true);
    const place = siteFrom(urls);
    if (addressError || !isCount || !place) return;
    const done = (): void => {
      onText("");
      onDone();
    };
    add.mutate({ ...place, max_pages: pages, refresh_hours: hours }, { onSuccess: done });
  };
  return (
    <form onSubmit={submit} className={styles.form} data-testid="site-form" noValidate>
      <Field label={t("add.site_label")} hint={t("add.site_hint")} error={asked ? addressError : null}>
        {(ids) => <textarea {...ids} rows={2} dir="ltr" autoFocus spellCheck={false} placeholder="https://" value={text} onChange={(event) => onText(event.target.value)} />}
      </Field>
      <div className={styles.pair}>
        <Field label={t("add.site_max")} error={asked && !isCount ? t("add.site_max_bad", { n: MAX_PAGES }) : null}>
          {(ids) => <input {...ids} inputMode="numeric" value={most} onChange={(event) => setMost(event.target.value)} />}
        </Field>
        <PlanField hours={hours} onChange={setHours} />
      </div>
      {add.isError ? <Trouble error={add.error} /> : null}
      <div className={styles.end}>
        <Button look="primary" type="submit" disabled={text.trim() === "" || add.isPending}>
          {t("add.site_add")}
        </Button>
      </div>
    </form>
  );
}
