import { Shell } from "@/app/Shell";
import { Find } from "@/features/find/components/Find";
import { useT } from "@/shared/i18n/i18n";
import { useTitle } from "@/shared/lib/title";

/** `/find`. */
export default function FindPage() {
  const t = useT();
  useTitle(t("find.title"));
  return (
    <Shell title={t("find.title")} lead={t("find.lead")} narrow>
      <Find />
    </Shell>
  );
}
