import { useState, type FormEvent } from "react";
import { useTellMeta, type AssistantSource } from "@/features/assistants/api";
import { changedMeta, CLAIMS, EVIDENCE, metaText, TRANSFERS, type MetaChange } from "@/features/assistants/lib/meta";
import { useT, type Key } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { Field } from "@/shared/ui/Field";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/assistants/components/Assistants.module.css";

const FORM = "evidence";
const SAME = "\u0000"; // "leave it as it is": no value of a corpus is this

interface EvidenceProps {
  assistantId: string;
  sources: readonly AssistantSource[];
  /** Technologies that other sources name. */
  known: readonly string[];
  onClose: () => void;
}

/** What one source or several are for a product expert: kind of evidence, technology, kind of claim, how far it carries over. */
export function EvidenceDialog({ assistantId, sources, known, onClose }: EvidenceProps) {
  const t = useT();
  const tell = useTellMeta(assistantId);
  const isOne = sources.length === 1;
  const first = (name: string): string => (sources.every((one) => metaText(one.meta, name) === metaText(sources[0]?.meta ?? {}, name)) ? metaText(sources[0]?.meta ?? {}, name) : SAME);
  const [form, setForm] = useState(() => ({ evidence: first("evidence"), technology: first("technology"), claim: first("claim"), transfer: first("transfer") }));
  const isMixed = form.technology === SAME;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const change = Object.fromEntries(Object.entries(form).map(([name, text]) => [name, text === SAME ? null : text])) as MetaChange;
    tell.mutate(sources.map((one) => ({ id: one.id, meta: changedMeta(one.meta, change) })), { onSuccess: onClose });
  };
  const choice = (name: "evidence" | "claim" | "transfer", label: Key, values: readonly string[], hint: Key) => (
    <Field label={t(label)} hint={t(hint)}>
      {(ids) => (
        <select {...ids} data-autofocus={name === "evidence" ? "" : undefined} value={form[name]} onChange={(event) => setForm({ ...form, [name]: event.target.value })}>
          {first(name) === SAME ? <option value={SAME}>{t("assistants.metaSame")}</option> : null}
          <option value="">{t(name === "evidence" ? "assistants.metaNoEvidence" : "assistants.metaNone")}</option>
          {values.map((value) => (
            <option key={value} value={value}>
              {t(`assistants.${name}_${value}` as Key)}
            </option>
          ))}
          {form[name] === "" || form[name] === SAME || values.includes(form[name]) ? null : <option value={form[name]}>{form[name]}</option>}
        </select>
      )}
    </Field>
  );
  return (
    <Dialog
      open
      onClose={onClose}
      title={isOne ? t("assistants.metaOf", { title: sources[0]?.title ?? "" }) : t("assistants.metaOfMany", { n: sources.length })}
      testId="evidence-dialog"
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button look="primary" type="submit" form={FORM} disabled={tell.isPending}>
            {t("ui.save")}
          </Button>
        </>
      }
    >
      <form id={FORM} className={styles.form} onSubmit={submit}>
        {choice("evidence", "assistants.metaEvidence", EVIDENCE, "assistants.metaEvidenceHint")}
        <Field label={t("assistants.metaTechnology")} hint={t(isMixed ? "assistants.metaTechnologyMixed" : "assistants.metaTechnologyHint")}>
          {(ids) => (
            <>
              <input {...ids} dir="auto" list="technologies" maxLength={500} value={isMixed ? "" : form.technology} onChange={(event) => setForm({ ...form, technology: event.target.value })} />
              <datalist id="technologies">
                {known.map((one) => (
                  <option key={one} value={one} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        {choice("claim", "assistants.metaClaim", CLAIMS, "assistants.metaClaimHint")}
        {choice("transfer", "assistants.metaTransfer", TRANSFERS, "assistants.metaTransferHint")}
        <p className={styles.meta}>{t("assistants.metaEverywhere")}</p>
      </form>
      {tell.isError ? <Trouble error={tell.error} /> : null}
    </Dialog>
  );
}
