import { Link } from "wouter";
import { Shell } from "@/app/Shell";
import { useT } from "@/shared/i18n/i18n";
import { HOME } from "@/shared/lib/addresses";

/** The notebook of this address was deleted or is someone else's. */
export function Gone() {
  const t = useT();
  return (
    <Shell title={t("work.gone")} lead={t("work.gone_why")} narrow>
      <Link href={HOME}>{t("nav.back_home")}</Link>
    </Shell>
  );
}
