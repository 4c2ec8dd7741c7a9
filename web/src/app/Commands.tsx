import { lazy, Suspense, useSyncExternalStore } from "react";
import { closeOverlay, currentOverlay, openCommands, openKeys, subscribeOverlay } from "@/app/overlays";
import { useShortcuts } from "@/shared/lib/shortcuts";

const KeySheet = lazy(() => import("@/app/KeySheet"));
const Palette = lazy(() => import("@/app/Palette"));

/** Listens for `?` and Mod+K and shows what they open. */
export function Commands() {
  const open = useSyncExternalStore(subscribeOverlay, currentOverlay);
  useShortcuts({ "?": openKeys, "Mod+k": openCommands });
  return (
    <Suspense>
      {open === "keys" ? <KeySheet onClose={closeOverlay} /> : null}
      {open === "commands" ? <Palette onClose={closeOverlay} /> : null}
    </Suspense>
  );
}
