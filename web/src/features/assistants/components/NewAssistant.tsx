import { useState, type FormEvent } from "react";
import { useCreateAssistant, type Assistant } from "@/features/assistants/api";
import { useT } from "@/shared/i18n/i18n";
import { purposeOptions, type Purpose } from "@/shared/lib/purposes";
import { Button } from "@/shared/ui/Button";
import { Choice } from "@/shared/ui/Choice";
import { Dialog } from "@/shared/ui/Dialog";
import { Field } from "@/shared/ui/Field";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/assistants/components/Assistants.module.css";

/** Name and purpose; the rest is set afterwards. */
export function NewAssistant({ onClose, onMade }: { onClose: () => void; onMade: (made: Assistant) => void }) {
  const t = useT();
  const create = useCreateAssistant(onMade);
  const [name, setName] = useState("");
  const [profile, setProfile] = useState<Purpose>("help");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() && !create.isPending) create.mutate({ name: name.trim(), profile });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("assistants.new")}
      testId="new-assistant"
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button look="primary" type="submit" form="new-assistant-form" disabled={create.isPending || !name.trim()}>
            {t("assistants.make")}
          </Button>
        </>
      }
    >
      <form id="new-assistant-form" className={styles.form} onSubmit={submit}>
        <Field label={t("assistants.name")} hint={t("assistants.nameHint")}>
          {(ids) => <input {...ids} data-autofocus="" maxLength={200} dir="auto" value={name} onChange={(event) => setName(event.target.value)} />}
        </Field>
        <Choice
          legend={t("assistants.purpose")}
          name="purpose"
          value={profile}
          options={purposeOptions(t)}
          onChange={setProfile}
        />
        {create.isError ? <Trouble error={create.error} /> : null}
      </form>
    </Dialog>
  );
}
