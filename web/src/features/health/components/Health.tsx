import { FailedJobs } from "@/features/health/components/FailedJobs";
import { HealthLines } from "@/features/health/components/HealthLines";
import { Queues } from "@/features/health/components/Queues";
import { ServerFacts } from "@/features/health/components/ServerFacts";
import { ApiError } from "@/shared/api/client";
import { useHealth } from "@/shared/api/queries";
import { useT } from "@/shared/i18n/i18n";
import { Note } from "@/shared/ui/Note";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/health/components/Health.module.css";

const EVERY_MS = 5000;

/** State 33: what answers, what waits, what failed, and what to do about it. */
export function Health() {
  const t = useT();
  const health = useHealth(true, () => EVERY_MS);
  if (health.error instanceof ApiError && health.error.status === 403) return <Note icon="lock">{t("health.only_admin")}</Note>;
  if (health.isError && !health.data) return <Trouble error={health.error} onRetry={() => void health.refetch()} />;
  if (!health.data) return null;
  return (
    <div className={styles.sections} data-testid="health">
      <HealthLines items={health.data.items} />
      <Queues queues={health.data.queues} />
      <FailedJobs failed={health.data.failed} />
      <ServerFacts health={health.data} />
    </div>
  );
}
