import { useRef, useState, type KeyboardEvent } from "react";
import { useRenameNotebook } from "@/features/notebooks/api";
import type { Notebook } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import styles from "@/features/notebooks/components/EditableTitle.module.css";

/** The notebook's title; a press makes it a field, Enter keeps, Esc leaves it as it was. */
export function EditableTitle({ notebook }: { notebook: Notebook }) {
  const t = useT();
  const rename = useRenameNotebook();
  const [text, setText] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const title = rename.isPending ? (rename.variables?.title ?? notebook.title) : notebook.title;
  const end = (keep: boolean): void => {
    const next = text?.trim();
    setText(null);
    if (keep && next && next !== notebook.title) rename.mutate({ id: notebook.id, title: next });
    requestAnimationFrame(() => button.current?.focus());
  };
  const press = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") end(true);
    else if (event.key === "Escape") end(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shown = title || t("home.untitled");
  if (notebook.role !== "owner") return <h1 className={styles.title}>{shown}</h1>;
  if (text !== null) {
    return (
      <input
        className={styles.field}
        dir="auto"
        autoFocus
        maxLength={200}
        aria-label={t("work.title")}
        value={text}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={press}
        onBlur={() => text !== null && end(true)}
      />
    );
  }
  return (
    <h1 className={styles.title}>
      <button ref={button} type="button" className={styles.button} dir="auto" title={t("home.rename")} onClick={() => setText(notebook.title)}>
        {shown}
      </button>
    </h1>
  );
}
