import { Shell } from "@/app/Shell";
import { Library } from "@/features/library/components/Library";
import { useT } from "@/shared/i18n/i18n";
import { useTitle } from "@/shared/lib/title";

/** `/library`. */
export default function LibraryPage() {
  const t = useT();
  useTitle(t("library.title"));
  return (
    <Shell title={t("library.title")} lead={t("library.lead")}>
      <Library />
    </Shell>
  );
}
