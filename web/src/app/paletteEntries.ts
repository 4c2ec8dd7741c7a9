/** What Mod+K offers: places, commands, notebooks, and the sources of the notebook that is open. */
import type { QueryClient } from "@tanstack/react-query";
import { openKeys } from "@/app/overlays";
import { savePreferences } from "@/features/settings/api";
import { keys } from "@/shared/api/queries";
import type { Notebook, Source } from "@/shared/api/types";
import { t } from "@/shared/i18n/i18n";
import { ASSISTANTS, FIND, findAddress, HEALTH, HOME, LIBRARY, MODELS, questionsAddress, SETTINGS, sourceAddress, USAGE, workspaceAddress } from "@/shared/lib/addresses";
import type { IconName } from "@/shared/ui/Icon";

export interface Entry {
  key: string;
  name: string;
  kind: string;
  icon: IconName;
  run: () => void;
}

export function paletteEntries(client: QueryClient, here: string, go: (address: string) => void): Entry[] {
  const notebookId = notebookIn(here);
  const sources = notebookId ? (client.getQueryData<Source[]>(keys.sources(notebookId)) ?? []) : [];
  const isOwner = notebookId !== undefined && client.getQueryData<Notebook>(keys.notebook(notebookId))?.role === "owner";
  const notebooks = client.getQueryData<Notebook[]>(keys.notebooks) ?? [];
  const place = (name: string, icon: IconName, address: string): Entry => ({ key: address, name, kind: t("palette.go"), icon, run: () => go(address) });
  const deed = (name: string, icon: IconName, run: () => void): Entry => ({ key: name, name, kind: t("palette.do"), icon, run });
  return [
    ...(notebookId ? [deed(t("sources.add"), "add", () => dispatchEvent(new CustomEvent("sourcebook:add")))] : []),
    ...notebooks.map((book) => ({ ...place(book.title, "book", workspaceAddress(book.id)), kind: t("palette.notebook") })),
    ...sources.map((row) => ({ ...place(row.title, "file", sourceAddress(notebookId ?? "", row.id)), kind: t("palette.source") })),
    ...(notebookId ? [place(t("find.inNotebook"), "search", findAddress(notebookId))] : []),
    ...(isOwner ? [place(t("misses.title"), "help", questionsAddress(notebookId))] : []),
    place(t("find.inAll"), "search", FIND),
    place(t("nav.notebooks"), "book", HOME),
    place(t("nav.library"), "library", LIBRARY),
    place(t("assistants.title"), "chat", ASSISTANTS),
    place(t("nav.models"), "cpu", MODELS),
    place(t("nav.health"), "health", HEALTH),
    place(t("usage.title"), "sort", USAGE),
    place(t("nav.settings"), "settings", SETTINGS),
    deed(t("palette.theme_light"), "sun", () => void savePreferences(client, { theme: "light" })),
    deed(t("palette.theme_dark"), "half", () => void savePreferences(client, { theme: "dark" })),
    deed(t("nav.keys"), "help", openKeys),
  ];
}

const notebookIn = (here: string): string | undefined => /^\/n\/([^/]+)/.exec(here)?.[1];

/** What is typed is also what may be looked for in the sources: of the open notebook, else of all. */
export function searchEntry(query: string, here: string, go: (address: string) => void): Entry | null {
  const words = query.trim();
  if (words.length < 2) return null;
  const notebookId = notebookIn(here);
  const name = t("palette.find", { words });
  return { key: "find", name, kind: t(notebookId ? "find.here" : "find.all"), icon: "search", run: () => go(findAddress(notebookId, words)) };
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
