import { useState, type FormEvent } from "react";
import { useLocation } from "wouter";
import { useApprove, useDeed } from "@/features/sources/api";
import { notePasswordTried, remedyOf, wasPasswordTried } from "@/features/sources/lib/status";
import type { Source } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { MODELS } from "@/shared/lib/addresses";
import { isTyping } from "@/shared/lib/shortcuts";
import { Button } from "@/shared/ui/Button";
import styles from "@/features/sources/components/FailedRemedy.module.css";

interface RemedyProps {
  source: Source;
  notebookId: string;
  onDetails: () => void;
}

/** The one remedy of a source that waits for its person: a password, a yes, another try, a connection. */
export function FailedRemedy({ source, notebookId, onDetails }: RemedyProps) {
  const t = useT();
  const [, go] = useLocation();
  const deed = useDeed(notebookId);
  const approve = useApprove(notebookId);
  const retry = (): void => deed.mutate({ id: source.id, deed: "retry" });
  if (source.status === "needs_approval") {
    return (
      <p className={styles.ways}>
        <Button look="link" small disabled={approve.isPending} onClick={() => approve.mutate({ id: source.id, pages: "all" })}>
          {t("status.approve_all")}
        </Button>
        <Button look="link" small disabled={approve.isPending} onClick={() => approve.mutate({ id: source.id, pages: "text" })}>
          {t("status.approve_text")}
        </Button>
      </p>
    );
  }
  if (source.status === "stopped") return <One text={t("status.read_on")} busy={deed.isPending} onClick={retry} />;
  if (source.status !== "failed") return null;
  const remedy = remedyOf(source.error?.code);
  if (remedy === "password") return <PasswordField source={source} notebookId={notebookId} />;
  return (
    <p className={styles.ways}>
      {remedy === "connect" ? (
        <Button look="link" small onClick={() => go(MODELS)}>
          {t("remedy.connect")}
        </Button>
      ) : null}
      {remedy === "retry" ? (
        <Button look="link" small disabled={deed.isPending} onClick={retry}>
          {t("ui.try_again")}
        </Button>
      ) : null}
      <Button look="link" small className={styles.quiet} onClick={onDetails}>
        {t("remedy.details")}
      </Button>
    </p>
  );
}

function One({ text, busy, onClick }: { text: string; busy: boolean; onClick: () => void }) {
  return (
    <p className={styles.ways}>
      <Button look="link" small disabled={busy} onClick={onClick}>
        {text}
      </Button>
    </p>
  );
}

function PasswordField({ source, notebookId }: { source: Source; notebookId: string }) {
  const t = useT();
  const deed = useDeed(notebookId);
  // After a wrong one the field is there at once, and takes the focus unless something is being typed elsewhere.
  const [isOpen, setOpen] = useState(() => wasPasswordTried(source.id));
  const [password, setPassword] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (password === "") return;
    notePasswordTried(source.id);
    deed.mutate({ id: source.id, deed: "retry", password }, { onSuccess: () => setPassword("") });
  };
  if (!isOpen) return <One text={t("remedy.enter")} busy={false} onClick={() => setOpen(true)} />;
  return (
    <form className={styles.password} aria-label={source.title} onSubmit={submit}>
      <input
        type="password"
        autoFocus={!isTyping(document.activeElement)}
        autoComplete="off"
        aria-label={t("remedy.password_for", { title: source.title })}
        placeholder={t("remedy.password")}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Button type="submit" small look="primary" disabled={deed.isPending || password === ""}>
        {t("remedy.unlock")}
      </Button>
    </form>
  );
}
