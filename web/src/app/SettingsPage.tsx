import { Shell } from "@/app/Shell";
import { Settings } from "@/features/settings/components/Settings";
import { useT } from "@/shared/i18n/i18n";
import { useTitle } from "@/shared/lib/title";

/** `/settings`. */
export default function SettingsPage() {
  const t = useT();
  useTitle(t("settings.title"));
  return (
    <Shell title={t("settings.title")} narrow>
      <Settings />
    </Shell>
  );
}
