import { useState, type FormEvent } from "react";
import { useMakeToken, type Fresh } from "@/features/settings/accessApi";
import { Checks } from "@/features/settings/components/Checks";
import { countOf, endsAt, SCOPES, TERMS, type Scope, type Term } from "@/features/settings/lib/access";
import { useMe } from "@/shared/api/queries";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { Field } from "@/shared/ui/Field";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/settings/components/Access.module.css";

const FORM = "new-token";

/** A new token: what for, what it may do, until when, how much. */
export function TokenDialog({ onMade, onClose }: { onMade: (made: Fresh) => void; onClose: () => void }) {
  const t = useT();
  const role = useMe().data?.role;
  const scopes = SCOPES.filter((scope) => scope !== "admin" || role === "owner" || role === "admin");
  const [name, setName] = useState("");
  const [given, setGiven] = useState<readonly Scope[]>(["read", "ask"]);
  const [term, setTerm] = useState<Term>("90");
  const [minute, setMinute] = useState("");
  const [day, setDay] = useState("");
  const [wasSent, setSent] = useState(false);
  const make = useMakeToken((made) => {
    onMade(made);
    onClose();
  });
  const wrong = {
    name: name.trim() === "" ? t("access.nameMissing") : null,
    scopes: given.length === 0 ? t("access.scopeMissing") : null,
    minute: countOf(minute) === undefined ? t("access.limitBad") : null,
    day: countOf(day) === undefined ? t("access.limitBad") : null,
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setSent(true);
    if (Object.values(wrong).some(Boolean)) return;
    const limits = { per_minute: countOf(minute) ?? null, per_day: countOf(day) ?? null };
    make.mutate({ name: name.trim(), scopes: scopes.filter((scope) => given.includes(scope)), expires_at: endsAt(term), limits: limits.per_minute || limits.per_day ? limits : null });
  };
  const seen = (why: string | null): string | null => (wasSent ? why : null);
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("access.tokenMake")}
      testId="new-token"
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button look="primary" type="submit" form={FORM} disabled={make.isPending}>
            {t("access.make")}
          </Button>
        </>
      }
    >
      <form id={FORM} className={styles.fields} noValidate onSubmit={submit}>
        <Field label={t("access.name")} hint={t("access.nameHint")} error={seen(wrong.name)}>
          {(ids) => <input {...ids} data-autofocus="" dir="auto" maxLength={200} value={name} onChange={(event) => setName(event.target.value)} />}
        </Field>
        <Checks
          legend={t("access.scopes")}
          values={scopes}
          given={given}
          what={(scope) => (
            <>
              {t(`access.scope_${scope}`)} <span className={styles.meta}>{t(`access.scope_${scope}_what`)}</span>
            </>
          )}
          error={seen(wrong.scopes)}
          onChange={setGiven}
        />
        <Field label={t("access.until")}>
          {(ids) => (
            <select {...ids} value={term} onChange={(event) => setTerm(event.target.value as Term)}>
              {TERMS.map((one) => (
                <option key={one} value={one}>
                  {t(`access.term_${one}`)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <div className={styles.pair}>
          <Field label={t("access.perMinute")} hint={t("access.limitEmpty")} error={seen(wrong.minute)}>
            {(ids) => <input {...ids} inputMode="numeric" value={minute} onChange={(event) => setMinute(event.target.value)} />}
          </Field>
          <Field label={t("access.perDay")} hint={t("access.limitEmpty")} error={seen(wrong.day)}>
            {(ids) => <input {...ids} inputMode="numeric" value={day} onChange={(event) => setDay(event.target.value)} />}
          </Field>
        </div>
      </form>
      {make.isError ? <Trouble error={make.error} /> : null}
    </Dialog>
  );
}
