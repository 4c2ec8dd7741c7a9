import { Shell } from "@/app/Shell";
import { Models } from "@/features/models/components/Models";
import { useT } from "@/shared/i18n/i18n";
import { useTitle } from "@/shared/lib/title";

/** `/admin/models`. */
export default function ModelsPage() {
  const t = useT();
  useTitle(t("models.title"));
  return (
    <Shell title={t("models.title")} lead={t("models.lead")}>
      <Models />
    </Shell>
  );
}
