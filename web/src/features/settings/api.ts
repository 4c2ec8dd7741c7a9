import type { QueryClient } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { keys } from "@/shared/api/queries";
import type { Me, Preferences } from "@/shared/api/types";
import { t } from "@/shared/i18n/i18n";
import { toastFailure } from "@/shared/ui/failed";
import { toast } from "@/shared/ui/toast";

/** Keeps a choice of this person; shown at once, taken back with a word when it is refused. */
export async function savePreferences(client: QueryClient, change: Preferences): Promise<void> {
  const before = client.getQueryData<Me>(keys.me);
  if (before) client.setQueryData<Me>(keys.me, { ...before, preferences: { ...before.preferences, ...change } });
  try {
    client.setQueryData(keys.me, await api.patch<Me>("/me", { preferences: change }));
    toast(t("settings.saved"));
  } catch (error) {
    client.setQueryData(keys.me, before);
    toastFailure(error);
  }
}
