import { useState, type FormEvent } from "react";
import { useRenameNotebook } from "@/features/notebooks/api";
import type { Notebook } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { Field } from "@/shared/ui/Field";

/** Rename a notebook. */
export function RenameDialog({ notebook, onClose }: { notebook: Notebook; onClose: () => void }) {
  const t = useT();
  const rename = useRenameNotebook();
  const [title, setTitle] = useState(notebook.title);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const next = title.trim();
    if (next === "" || next === notebook.title) return onClose();
    rename.mutate({ id: notebook.id, title: next }, { onSuccess: onClose });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("home.rename_title")}
      size="small"
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button look="primary" type="submit" form="rename-notebook" disabled={rename.isPending}>
            {t("ui.save")}
          </Button>
        </>
      }
    >
      <form id="rename-notebook" onSubmit={submit}>
        <Field label={t("home.name")}>
          {(ids) => <input {...ids} autoFocus data-autofocus="" maxLength={200} value={title} onFocus={(event) => event.target.select()} onChange={(event) => setTitle(event.target.value)} />}
        </Field>
      </form>
    </Dialog>
  );
}
