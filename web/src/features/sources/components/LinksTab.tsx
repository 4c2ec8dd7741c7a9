import { useState, type FormEvent } from "react";
import { SiteForm } from "@/features/sources/components/SiteForm";
import { linksIn } from "@/features/sources/lib/links";
import { addUploads } from "@/features/sources/lib/uploads";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Choice } from "@/shared/ui/Choice";
import { Field } from "@/shared/ui/Field";
import styles from "@/features/sources/components/tabs.module.css";

type What = "pages" | "site";

/** Addresses of pages, one a line, or of a whole site. */
export function LinksTab({ notebookId, pasted, onDone }: { notebookId: string; pasted: string; onDone: () => void }) {
  const t = useT();
  const [what, setWhat] = useState<What>("pages");
  const [text, setText] = useState(pasted);
  return (
    <div className={styles.form}>
      <Choice
        legend={t("add.links_what")}
        name="links"
        value={what}
        onChange={setWhat}
        options={[
          { value: "pages", label: t("add.links_pages") },
          { value: "site", label: t("add.links_site") },
        ]}
        inline
      />
      {what === "pages" ? (
        <PagesForm notebookId={notebookId} text={text} onText={setText} onDone={onDone} />
      ) : (
        <SiteForm notebookId={notebookId} text={text} onText={setText} onDone={onDone} />
      )}
    </div>
  );
}

export interface LinkFormProps {
  notebookId: string;
  text: string;
  onText: (text: string) => void;
  onDone: () => void;
}

function PagesForm({ notebookId, text, onText, onDone }: LinkFormProps) {
  const t = useT();
  const [asked, setAsked] = useState(false);
  const { urls, bad } = linksIn(text);
  const error = asked && bad.length > 0 ? t("add.links_bad", { n: bad.length, line: bad[0] ?? "" }) : null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setAsked(true);
    if (urls.length === 0 || bad.length > 0) return;
    addUploads(notebookId, urls.map((url) => ({ name: url, size: null, payload: { json: { url } } })));
    onText("");
    onDone();
  };
  return (
    <form onSubmit={submit} className={styles.form}>
      <Field label={t("add.links_label")} hint={t("add.links_hint")} error={error}>
        {(ids) => (
          <textarea {...ids} rows={5} dir="ltr" autoFocus data-autofocus="" spellCheck={false} placeholder="https://" value={text} onChange={(event) => onText(event.target.value)} />
        )}
      </Field>
      <div className={styles.end}>
        <Button look="primary" type="submit" disabled={text.trim() === ""}>
          {t("add.add_n", { n: urls.length })}
        </Button>
      </div>
    </form>
  );
}
