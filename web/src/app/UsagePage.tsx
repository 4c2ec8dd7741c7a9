import { Shell } from "@/app/Shell";
import { Usage } from "@/features/usage/components/Usage";
import { useT } from "@/shared/i18n/i18n";
import { useTitle } from "@/shared/lib/title";

/** `/usage`. */
export default function UsagePage() {
  const t = useT();
  useTitle(t("usage.title"));
  return (
    <Shell title={t("usage.title")} lead={t("usage.lead")}>
      <Usage />
    </Shell>
  );
}
