import { useState } from "react";
import { useChangeAssistant, type Assistant } from "@/features/assistants/api";
import { SaveBar } from "@/features/assistants/components/SaveBar";
import { useT, type Key } from "@/shared/i18n/i18n";
import { Choice } from "@/shared/ui/Choice";
import { Field } from "@/shared/ui/Field";
import type { HandoverKind } from "@/widget/contract";
import styles from "@/features/assistants/components/Assistants.module.css";

const TARGETS: Record<Exclude<HandoverKind, "none">, Key> = { link: "assistants.toLink", mail: "assistants.toMail", webhook: "assistants.toWebhook" };

/** Where a visitor who wants a person is led. */
export function HandOver({ row, canChange }: { row: Assistant; canChange: boolean }) {
  const t = useT();
  const save = useChangeAssistant(row.id);
  const now = row.handover as { kind?: HandoverKind; to?: string | null };
  const [kind, setKind] = useState<HandoverKind>(now.kind ?? "none");
  const [to, setTo] = useState(now.to ?? "");
  const isChanged = kind !== (now.kind ?? "none") || (kind !== "none" && to !== (now.to ?? ""));
  const options: [HandoverKind, Key, Key][] = [
    ["none", "assistants.handNone", "assistants.handNoneNote"],
    ["link", "assistants.handLink", "assistants.handLinkNote"],
    ["mail", "assistants.handMail", "assistants.handMailNote"],
    ["webhook", "assistants.handWebhook", "assistants.handWebhookNote"],
  ];
  return (
    <div className={styles.form}>
      <p>{t("assistants.handLead")}</p>
      <Choice legend={t("assistants.handover")} name="handover" value={kind} options={options.map(([value, label, note]) => ({ value, label: t(label), note: t(note) }))} onChange={(next) => canChange && setKind(next)} />
      {kind === "none" ? null : (
        <Field label={t(TARGETS[kind])}>
          {(ids) => <input {...ids} type={kind === "mail" ? "email" : "url"} maxLength={2000} disabled={!canChange} value={to} onChange={(event) => setTo(event.target.value)} />}
        </Field>
      )}
      {row.webhook_secret ? (
        <Field label={t("assistants.secret")} hint={t("assistants.secretHint")}>
          {(ids) => <input {...ids} readOnly value={row.webhook_secret ?? ""} />}
        </Field>
      ) : null}
      {canChange ? <SaveBar save={save} isChanged={isChanged && (kind === "none" || to.trim() !== "")} onSave={() => save.mutate({ handover: { kind, to: kind === "none" ? null : to.trim() } })} /> : null}
    </div>
  );
}
