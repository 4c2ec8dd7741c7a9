import { useRef, useState, type FormEvent } from "react";
import { useLocation } from "wouter";
import type { Assistant } from "@/features/assistants/api";
import { useMembers, usePutMember, useTakeOut, type Member } from "@/features/assistants/peopleApi";
import { ApiError } from "@/shared/api/client";
import { useMe } from "@/shared/api/queries";
import { useT } from "@/shared/i18n/i18n";
import { ASSISTANTS } from "@/shared/lib/addresses";
import { focusAfterRemoval } from "@/shared/lib/focus";
import { Button } from "@/shared/ui/Button";
import { Choice } from "@/shared/ui/Choice";
import { toastFailure } from "@/shared/ui/failed";
import { Field } from "@/shared/ui/Field";
import { toast } from "@/shared/ui/toast";
import { Trouble } from "@/shared/ui/Trouble";
import parts from "@/features/assistants/components/Parts.module.css";
import styles from "@/features/assistants/components/Assistants.module.css";

/** Who works on it beside its owner, and what they may do. */
export function People({ row }: { row: Assistant }) {
  const t = useT();
  const members = useMembers(row.id);
  return (
    <div className={styles.form}>
      <p>{t("assistants.peopleLead")}</p>
      {members.isError ? <Trouble error={members.error} onRetry={() => void members.refetch()} /> : null}
      {members.data?.length === 0 ? (
        <p className={styles.meta} data-testid="members-empty">
          {t("assistants.peopleEmpty")}
        </p>
      ) : null}
      <ul className={styles.rows} data-testid="members">
        {members.data?.map((member) => (
          <Row key={member.person_id} assistant={row} member={member} />
        ))}
      </ul>
      {row.role === "owner" ? <LetIn id={row.id} /> : <p className={styles.meta}>{t("assistants.peopleOwner")}</p>}
    </div>
  );
}

const ROLES = { editor: "assistants.editor", viewer: "assistants.viewer" } as const;

function Row({ assistant, member }: { assistant: Assistant; member: Member }) {
  const t = useT();
  const [, go] = useLocation();
  const item = useRef<HTMLLIElement>(null);
  const isMe = useMe().data?.id === member.person_id;
  const put = usePutMember(assistant.id);
  const takeOut = useTakeOut(assistant.id, () => {
    toast(t("assistants.takenOut", { name: member.name }));
    if (isMe) go(ASSISTANTS);
    else focusAfterRemoval(item.current);
  });
  const isOwner = assistant.role === "owner";
  const canSet = isOwner && member.email !== null && member.email !== undefined;
  const set = (role: string): void => put.mutate({ email: member.email ?? "", role: role as Member["role"] }, { onError: toastFailure });
  return (
    <li ref={item} className={styles.row} data-testid="member">
      <div className={styles.what}>
        <p dir="auto">
          {member.name} {isMe ? <span className={styles.meta}>({t("assistants.isYou")})</span> : null}
        </p>
        {member.email && member.email !== member.name ? <p className={styles.meta}>{member.email}</p> : null}
      </div>
      {canSet ? (
        <select className={parts.select} aria-label={t("assistants.mayDoOf", { name: member.name })} disabled={put.isPending} value={put.isPending ? put.variables.role : member.role} onChange={(event) => set(event.target.value)}>
          <option value="editor">{t("assistants.editor")}</option>
          <option value="viewer">{t("assistants.viewer")}</option>
        </select>
      ) : (
        <span className={styles.meta}>{t(ROLES[member.role])}</span>
      )}
      {isOwner || isMe ? (
        <Button small disabled={takeOut.isPending} onClick={() => takeOut.mutate(member)}>
          {isMe ? t("assistants.leave") : t("assistants.takeOut", { name: member.name })}
        </Button>
      ) : null}
    </li>
  );
}

function LetIn({ id }: { id: string }) {
  const t = useT();
  const put = usePutMember(id);
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Member["role"]>("viewer");
  const isUnknown = put.error instanceof ApiError && put.error.code === "invalid_field";
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (email.trim() && !put.isPending) put.mutate({ email: email.trim(), role }, { onSuccess: () => setEmail("") });
  };
  const change = (next: string): void => {
    setEmail(next);
    put.reset();
  };
  return (
    <form className={styles.part} onSubmit={submit} data-testid="let-in">
      <h2>{t("assistants.letIn")}</h2>
      <Field label={t("assistants.email")} hint={t("assistants.emailHint")} error={isUnknown ? t("assistants.emailUnknown") : null}>
        {(ids) => <input {...ids} type="email" autoComplete="off" maxLength={300} value={email} onChange={(event) => change(event.target.value)} />}
      </Field>
      <Choice
        legend={t("assistants.mayDo")}
        name="member-role"
        value={role}
        options={[
          { value: "viewer" as const, label: t("assistants.viewer"), note: t("assistants.viewerNote") },
          { value: "editor" as const, label: t("assistants.editor"), note: t("assistants.editorNote") },
        ]}
        onChange={setRole}
      />
      {put.isError && !isUnknown ? <Trouble error={put.error} /> : null}
      <p className={styles.ways}>
        <Button look="primary" type="submit" disabled={put.isPending || !email.trim()}>
          {t("assistants.letIn")}
        </Button>
      </p>
    </form>
  );
}
