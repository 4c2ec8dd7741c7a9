import { useState, type FormEvent } from "react";
import { signIn } from "@/features/signin/api";
import { ApiError } from "@/shared/api/client";
import { useT } from "@/shared/i18n/i18n";
import { problemWords } from "@/shared/lib/problem";
import { Button } from "@/shared/ui/Button";
import { Field } from "@/shared/ui/Field";
import styles from "@/features/signin/components/SignInForm.module.css";

/** How to get a link, and a field for the owner's token. */
export function SignInForm({ onDone }: { onDone: () => void }) {
  const t = useT();
  const [token, setToken] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (token.trim() === "") return;
    setBusy(true);
    setError(null);
    signIn(token)
      .then(onDone)
      .catch((cause: unknown) => {
        const wrong = cause instanceof ApiError && (cause.status === 401 || cause.status === 403);
        setError(wrong ? t("signin.wrong") : problemWords(cause).text);
      })
      .finally(() => setBusy(false));
  };
  return (
    <>
      <p className={styles.how}>{t("signin.how")}</p>
      <pre className={styles.command}>
        <code>sourcebook open</code>
      </pre>
      <form onSubmit={submit} className={styles.form}>
        <Field label={t("signin.token")} hint={t("signin.token_hint")} error={error}>
          {(ids) => (
            <input {...ids} type="password" autoComplete="current-password" spellCheck={false} value={token} onChange={(event) => setToken(event.target.value)} />
          )}
        </Field>
        <Button type="submit" look="primary" disabled={busy || token.trim() === ""}>
          {t("signin.go")}
        </Button>
      </form>
    </>
  );
}
