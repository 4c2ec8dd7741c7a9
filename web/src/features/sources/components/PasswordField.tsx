import { useState, type FormEvent } from "react";
import { useDeed } from "@/features/sources/api";
import { notePasswordTried, wasPasswordTried } from "@/features/sources/lib/status";
import type { Source } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { isTyping } from "@/shared/lib/shortcuts";
import { Button } from "@/shared/ui/Button";
import styles from "@/features/sources/components/FailedRemedy.module.css";

interface PasswordProps {
  source: Source;
  notebookId: string;
  look: "link" | "plain";
  onDone?: (() => void) | undefined;
}

/** M8: the way to the field, then the field. After a wrong password it is there at once. */
export function PasswordField({ source, notebookId, look, onDone }: PasswordProps) {
  const t = useT();
  const deed = useDeed(notebookId);
  const [isOpen, setOpen] = useState(() => wasPasswordTried(source));
  const [password, setPassword] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (password === "") return;
    notePasswordTried(source);
    const done = (): void => {
      setPassword((now) => (now === password ? "" : now)); // another may be typed already
      onDone?.();
    };
    deed.mutate({ id: source.id, deed: "retry", password }, { onSuccess: done });
  };
  if (!isOpen) {
    return (
      <Button look={look} small={look === "link"} onClick={() => setOpen(true)}>
        {t(look === "link" ? "remedy.enter" : "remedy.enter_password")}
      </Button>
    );
  }
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
