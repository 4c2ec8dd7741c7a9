/** What Mod+K offers: places, commands, notebooks, and the sources of the notebook that is open. */
import type { QueryClient } from "@tanstack/react-query";
import { openKeys } from "@/app/overlays";
import { savePreferences } from "@/features/settings/api";
import { keys } from "@/shared/api/queries";
import type { Notebook, Source } from "@/shared/api/types";
import { t } from "@/shared/i18n/i18n";
import { HEALTH, HOME, LIBRARY, MODELS, SETTINGS, sourceAddress, workspaceAddress } from "@/shared/lib/addresses";
import type { IconName } from "@/shared/ui/Icon";

export interface Entry {
  key: string;
  name: string;
  kind: string;
  icon: IconName;
  run: () => void;
}

export function paletteEntries(client: QueryClient, here: string, go: (address: string) => void): Entry[] {
  const notebookId = /^\/n\/([^/]+)/.exec(here)?.[1];
  const sources = notebookId ? (client.getQueryData<Source[]>(keys.sources(notebookId)) ?? []) : [];
  const notebooks = client.getQueryData<Notebook[]>(keys.notebooks) ?? [];
  const place = (name: string, icon: IconName, address: string): Entry => ({ key: address, name, kind: t("palette.go"), icon, run: () => go(address) });
  const deed = (name: string, icon: IconName, run: () => void): Entry => ({ key: name, name, kind: t("palette.do"), icon, run });
  return [
    ...(notebookId ? [deed(t("sources.add"), "add", () => dispatchEvent(new CustomEvent("sourcebook:add")))] : []),
    ...notebooks.map((book) => ({ ...place(book.title, "book", workspaceAddress(book.id)), kind: t("palette.notebook") })),
    ...sources.map((row) => ({ ...place(row.title, "file", sourceAddress(notebookId ?? "", row.id)), kind: t("palette.source") })),
    place(t("nav.notebooks"), "book", HOME),
    place(t("nav.library"), "library", LIBRARY),
    place(t("nav.models"), "cpu", MODELS),
    place(t("nav.health"), "health", HEALTH),
    place(t("nav.settings"), "settings", SETTINGS),
    deed(t("palette.theme_light"), "sun", () => void savePreferences(client, { theme: "light" })),
    deed(t("palette.theme_dark"), "half", () => void savePreferences(client, { theme: "dark" })),
    deed(t("nav.keys"), "help", openKeys),
  ];
}

/** Entries whose name holds every word of the query; those that begin with it first. */
export function matching(entries: Entry[], query: string): Entry[] {
  const words = fold(query).split(/\s+/).filter(Boolean);
  const fits = entries.filter((entry) => words.every((word) => fold(entry.name).includes(word)));
  const first = words[0] ?? "";
  return [...fits].sort((a, b) => Number(fold(b.name).startsWith(first)) - Number(fold(a.name).startsWith(first)));
}

function fold(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
