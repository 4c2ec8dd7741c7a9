import { OFFLINE } from "@/shared/api/client";
import { useT } from "@/shared/i18n/i18n";
import { copyText } from "@/shared/lib/clipboard";
import { useSecondsLeft } from "@/shared/lib/useSecondsLeft";
import { Button } from "@/shared/ui/Button";
import { Note } from "@/shared/ui/Note";
import type { Refusal } from "../lib/live";
import { words } from "./refusedWords";
import styles from "./Refused.module.css";

/** Why a question was not taken; the question itself is back in the box. */
export function Refused({ refusal, onAgain }: { refusal: Refusal; onAgain: () => void }) {
  const t = useT();
  const { error } = refusal;
  const waits = error?.retryAfterS ?? null;
  const left = useSecondsLeft(waits === null ? null : refusal.at + waits * 1000);
  if (!error) return null;
  const isOurs = error.status >= 500 || error.status === 0;
  return (
    <div className={styles.refused}>
      <Note tone={isOurs && error.code !== OFFLINE ? "error" : "warning"} icon="warning" testId="refused">
        <p>{words(error, left)}</p>
        {isOurs || left === 0 ? (
          <p className={styles.actions}>
            <Button look="link" onClick={onAgain}>
              {t("refused.tryAgain")}
            </Button>
            {error.requestId ? (
              <Button look="link" onClick={() => void copyText(error.requestId ?? "")}>
                {t("answer.copyCode", { id: error.requestId })}
              </Button>
            ) : null}
          </p>
        ) : null}
      </Note>
    </div>
  );
}
