import { Shell } from "@/app/Shell";
import { Health } from "@/features/health/components/Health";
import { useT } from "@/shared/i18n/i18n";
import { useTitle } from "@/shared/lib/title";

/** `/admin/health`. */
export default function HealthPage() {
  const t = useT();
  useTitle(t("health.title"));
  return (
    <Shell title={t("health.title")}>
      <Health />
    </Shell>
  );
}
