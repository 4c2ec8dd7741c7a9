import { useRetryJob } from "@/features/health/api";
import type { FailedJob } from "@/shared/api/types";
import { t as translate, useT, type Key } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import styles from "@/features/health/components/Health.module.css";

/** What gave up, why, and another try. */
export function FailedJobs({ failed }: { failed: FailedJob[] }) {
  const t = useT();
  const retry = useRetryJob();
  return (
    <section>
      <h2 className={styles.heading}>{t("health.failed")}</h2>
      <div className={[styles.card, styles.scroll].join(" ")} role="region" aria-label={t("health.failed")} tabIndex={0}>
        {failed.length === 0 ? (
          <p className={styles.none}>{t("health.no_failed")}</p>
        ) : (
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">{t("health.file")}</th>
                <th scope="col">{t("health.stage")}</th>
                <th scope="col" className={styles.number}>
                  {t("health.attempts")}
                </th>
                <th scope="col">{t("health.why")}</th>
                <th scope="col">
                  <span className="heard">{t("health.retry")}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {failed.map((job) => (
                <tr key={job.job_id}>
                  <th scope="row">{nameOf(job)}</th>
                  <td className={styles.stage}>{job.stage === "reading" || job.stage === "indexing" ? t(`health.stage.${job.stage}`) : t("ui.unknown")}</td>
                  <td className={styles.number}>{job.attempts}</td>
                  <td>{why(job)}</td>
                  <td>
                    <Button small aria-label={t("health.retry_one", { file: nameOf(job) })} disabled={retry.isPending} onClick={() => retry.mutate(job.job_id)}>
                      {t("health.retry")}
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </section>
  );
}

// Work on the search as a whole is about no file.
const WORK: Record<string, Key> = { rebuild_space: "models.building", measure_floor: "health.work.floor", post_words: "health.work.large", index_vectors: "health.work.large" };

function nameOf(job: FailedJob): string {
  const key = WORK[job.kind];
  return job.file ?? (key ? translate(key) : job.kind);
}

function why(job: FailedJob) {
  if (job.error === null || typeof job.error === "string") return job.error;
  return (
    <>
      {job.error.message}
      <span className={styles.code}>{job.error.code}</span>
    </>
  );
}
