import { useLocation } from "wouter";
import { openCommands, openKeys } from "@/app/overlays";
import { signOut } from "@/features/signin/api";
import { useT } from "@/shared/i18n/i18n";
import { ASSISTANTS, FIND, HEALTH, HOME, LIBRARY, MODELS, SETTINGS, SIGN_IN, USAGE } from "@/shared/lib/addresses";
import { toastFailure } from "@/shared/ui/failed";
import { Menu } from "@/shared/ui/Menu";

/** Everything that is not about one notebook; on narrow screens also the way between the places. */
export function AccountMenu() {
  const t = useT();
  const [, go] = useLocation();
  return (
    <Menu
      label={t("nav.account")}
      icon="user"
      items={[
        { label: t("nav.notebooks"), icon: "book", run: () => go(HOME) },
        { label: t("nav.find"), icon: "search", run: () => go(FIND) },
        { label: t("nav.library"), icon: "library", run: () => go(LIBRARY) },
        { label: t("assistants.title"), icon: "chat", run: () => go(ASSISTANTS) },
        { label: t("nav.models"), icon: "cpu", run: () => go(MODELS) },
        { label: t("nav.health"), icon: "health", run: () => go(HEALTH) },
        { label: t("usage.title"), icon: "sort", run: () => go(USAGE) },
        { label: t("nav.settings"), icon: "settings", run: () => go(SETTINGS) },
        "line",
        { label: t("nav.commands"), icon: "list", run: openCommands },
        { label: t("nav.keys"), icon: "help", run: openKeys },
        "line",
        { label: t("nav.sign_out"), icon: "lock", run: () => void signOut().then(() => location.assign(SIGN_IN), toastFailure) },
      ]}
    />
  );
}
