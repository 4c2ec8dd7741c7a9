import { copyText } from "@/shared/lib/clipboard";
import { problemWords } from "@/shared/lib/problem";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Note } from "@/shared/ui/Note";
import { toast } from "@/shared/ui/toast";
import styles from "@/shared/ui/Trouble.module.css";

/** What went wrong, in words, with the ways on: try again, copy the code. */
export function Trouble({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const t = useT();
  const words = problemWords(error);
  const id = words.requestId;
  return (
    <Note tone="error" icon="warning" testId="trouble">
      <p>{words.text}</p>
      {(onRetry && words.canRetry) || id ? (
        <p className={styles.ways}>
          {onRetry && words.canRetry ? (
            <Button look="link" onClick={onRetry}>
              {t("ui.try_again")}
            </Button>
          ) : null}
          {id ? (
            <Button look="link" onClick={() => void copyText(id).then((done) => done && toast(t("ui.copied")))}>
              {t("ui.copy_code", { id })}
            </Button>
          ) : null}
        </p>
      ) : null}
    </Note>
  );
}
