import { ApiError } from "@/shared/api/client";
import { useT } from "@/shared/i18n/i18n";
import { useSecondsLeft } from "@/shared/lib/useSecondsLeft";
import { Button } from "@/shared/ui/Button";
import { Note } from "@/shared/ui/Note";
import { Trouble } from "@/shared/ui/Trouble";

/** Why the search was not done; too many in a short time counts down to when it can be. */
export function Refusal({ error, at, onRetry }: { error: Error; at: number; onRetry: () => void }) {
  const t = useT();
  const waits = error instanceof ApiError && error.status === 429 ? error.retryAfterS : null;
  const left = useSecondsLeft(waits === null ? null : at + waits * 1000);
  if (left === null) return <Trouble error={error} onRetry={onRetry} />;
  return (
    <Note tone="warning" icon="warning" testId="find-refused">
      <p>{left > 0 ? t("find.wait", { n: left }) : t("refused.goOn")}</p>
      {left === 0 ? (
        <p>
          <Button look="link" onClick={onRetry}>
            {t("ui.try_again")}
          </Button>
        </p>
      ) : null}
    </Note>
  );
}
