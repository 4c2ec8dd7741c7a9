import { Shell } from "@/app/Shell";
import { useT } from "@/shared/i18n/i18n";

/** An address that names nothing. */
export default function NotHere() {
  const t = useT();
  return (
    <Shell title={t("work.no_page")} lead={t("work.no_page_why")}>
      {null}
    </Shell>
  );
}
