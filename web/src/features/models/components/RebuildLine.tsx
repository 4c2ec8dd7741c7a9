import { useRetryBuild } from "@/features/models/api";
import { costWords, progressWords } from "@/features/models/lib/rebuild";
import type { Rebuild } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Note } from "@/shared/ui/Note";
import { Progress } from "@/shared/ui/Progress";
import styles from "@/features/models/components/RebuildLine.module.css";

/** How far the new meaning search is, while the old one answers; or why it stopped, and another try. */
export function RebuildLine({ rebuild }: { rebuild: Rebuild }) {
  const t = useT();
  const retry = useRetryBuild();
  const { state, job_id: jobId } = rebuild;
  if (state === "failed") {
    return (
      <div className={styles.line}>
        <Note tone="error" icon="warning" compact testId="rebuild-failed">
          <p>
            {t("models.rebuildFailed")} {rebuild.error?.message}
          </p>
          {jobId ? (
            <Button look="link" disabled={retry.isPending} onClick={() => retry.mutate(jobId)}>
              {t("ui.try_again")}
            </Button>
          ) : null}
        </Note>
      </div>
    );
  }
  return (
    <div className={styles.line} data-testid="rebuild">
      <p>{progressWords(rebuild)}</p>
      <Progress done={rebuild.done} of={rebuild.chunks} label={t("models.building")} />
      <p className={styles.quiet}>
        {rebuild.cost === null ? null : `${costWords(rebuild.cost, null)} `}
        {t("models.oldAnswers")}
      </p>
    </div>
  );
}
