import { useState, type FormEvent } from "react";
import { addUploads } from "@/features/sources/lib/uploads";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Field } from "@/shared/ui/Field";
import styles from "@/features/sources/components/tabs.module.css";

const TITLE_CHARS = 80;

/** Text as it stands; without a title its first line is one. */
export function TextTab({ notebookId, pasted, onDone }: { notebookId: string; pasted: string; onDone: () => void }) {
  const t = useT();
  const [title, setTitle] = useState("");
  const [text, setText] = useState(pasted);
  const [isMarkdown, setMarkdown] = useState(/^#{1,6} |\n#{1,6} |\n\s*[-*] /.test(pasted));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() === "") return;
    const name = title.trim() || firstLine(text);
    const json = { title: name, text, format: isMarkdown ? ("markdown" as const) : ("plain" as const) };
    addUploads(notebookId, [{ name, size: new Blob([text]).size, payload: { json } }]);
    setTitle("");
    setText("");
    onDone();
  };
  return (
    <form onSubmit={submit} className={styles.form}>
      <Field label={t("add.text_title")}>
        {(ids) => <input {...ids} dir="auto" value={title} placeholder={firstLine(text)} onChange={(event) => setTitle(event.target.value)} />}
      </Field>
      <Field label={t("add.text_body")} hint={t("add.text_hint")}>
        {(ids) => <textarea {...ids} rows={8} dir="auto" autoFocus data-autofocus="" value={text} onChange={(event) => setText(event.target.value)} />}
      </Field>
      <div className={styles.end}>
        <label className={styles.check}>
          <input type="checkbox" checked={isMarkdown} onChange={(event) => setMarkdown(event.target.checked)} />
          {t("add.text_markdown")}
        </label>
        <Button look="primary" type="submit" disabled={text.trim() === ""}>
          {t("add.add")}
        </Button>
      </div>
    </form>
  );
}

function firstLine(text: string): string {
  const line = text.split(/\r?\n/).map((part) => part.replace(/^#+\s*/, "").trim()).find(Boolean) ?? "";
  return Array.from(line).slice(0, TITLE_CHARS).join("");
}
