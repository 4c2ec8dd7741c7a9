import { OFFLINE, type ApiError } from "@/shared/api/client";
import { t as translate, useT } from "@/shared/i18n/i18n";
import { copyText } from "@/shared/lib/clipboard";
import { useSecondsLeft } from "@/shared/lib/useSecondsLeft";
import { Button } from "@/shared/ui/Button";
import { Note } from "@/shared/ui/Note";
import type { Refusal } from "../lib/live";
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

function words(error: ApiError, left: number | null): string {
  if (error.status === 429) return left === 0 ? translate("refused.goOn") : left === null ? error.message : translate("refused.wait", { n: left });
  if (error.status === 402) return error.message || translate("refused.credit");
  if (error.status === 401) return translate("refused.signIn");
  if (error.code === OFFLINE) return translate("refused.offline");
  if (error.code === "turn_running") return translate("refused.running");
  if (error.status >= 500 || error.status === 0) return error.message || translate("refused.ours");
  return error.message || translate("refused.ours");
}
