import { Link } from "wouter";
import { useHealth, useMe } from "@/shared/api/queries";
import type { Health } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { HEALTH } from "@/shared/lib/addresses";
import { Note } from "@/shared/ui/Note";

const WORKING_MS = 10_000;
const IDLE_MS = 30_000;

/** M12: nobody reads just now. Comes and goes with what the health page says of the readers. */
export function NoWorker({ working }: { working: boolean }) {
  const t = useT();
  const me = useMe();
  const maySee = me.data?.role === "owner" || me.data?.role === "admin";
  const health = useHealth(maySee, (last) => (working || isAway(last) ? WORKING_MS : IDLE_MS));
  if (!isAway(health.data)) return null;
  return (
    <Note tone="warning" icon="pause" testId="no-worker">
      {t("sources.no_worker_you")} <Link href={HEALTH}>{t("sources.see_health")}</Link>
    </Note>
  );
}

function isAway(health: Health | undefined): boolean {
  return health?.items.some((line) => line.name === "workers_ingest" && line.state === "away") ?? false;
}
