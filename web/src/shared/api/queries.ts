/** Server state that more than one feature reads: one key and one hook each. */
import { useQuery } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { useHolderPath } from "@/shared/api/holder";
import type { Health, Me, Miss, MissState, Models, Notebook, Page, Source } from "@/shared/api/types";

export const keys = {
  me: ["me"] as const,
  notebooks: ["notebooks"] as const,
  notebook: (id: string) => ["notebooks", id] as const,
  sources: (notebookId: string) => ["sources", "of", notebookId] as const,
  source: (id: string) => ["sources", "one", id] as const,
  library: ["sources", "library"] as const,
  conversations: (notebookId: string) => ["conversations", "of", notebookId] as const,
  conversation: (id: string) => ["conversations", "one", id] as const,
  turn: (id: string) => ["turns", id] as const,
  notes: (notebookId: string) => ["notes", notebookId] as const,
  guide: (notebookId: string) => ["notebooks", notebookId, "guide"] as const,
  trash: ["trash"] as const,
  misses: (notebookId: string) => ["misses", notebookId] as const,
  questions: (notebookId: string) => ["questions", notebookId] as const,
  models: ["models"] as const,
  floors: ["floors"] as const,
  health: ["health"] as const,
};

export function useMe() {
  return useQuery({ queryKey: keys.me, queryFn: ({ signal }) => api.get<Me>("/me", signal), staleTime: 60_000 });
}

export function useNotebooks(enabled = true) {
  return useQuery({ queryKey: keys.notebooks, queryFn: ({ signal }) => all<Notebook>("/notebooks", signal), enabled });
}

export function useNotebook(id: string) {
  return useQuery({ queryKey: keys.notebook(id), queryFn: ({ signal }) => api.get<Notebook>(`/notebooks/${id}`, signal) });
}

const MOVING: ReadonlySet<Source["status"]> = new Set(["queued", "reading", "indexing"]);
const MOVING_MS = 10_000;

/** Hints may be lost (a worker that died between its commit and its hint sends none): rows that move are looked at without one, too. */
export function lookAgainMs(sources: readonly Pick<Source, "status">[] | undefined): number | false {
  return sources?.some((source) => MOVING.has(source.status)) ? MOVING_MS : false;
}

/** Every source of a notebook, following the cursor; the list is small enough to hold (300 rows are 150 kB). */
export function useSources(notebookId: string) {
  const path = useHolderPath(notebookId);
  return useQuery({
    queryKey: keys.sources(notebookId),
    queryFn: ({ signal }) => all<Source>(`${path}/sources`, signal),
    refetchInterval: (query) => lookAgainMs(query.state.data),
  });
}

/** Questions that found no answer in a notebook; only its owner may ask. */
export function useMisses(notebookId: string, state: MissState) {
  const path = useHolderPath(notebookId);
  return useQuery({
    queryKey: [...keys.misses(notebookId), state],
    queryFn: ({ signal }) => all<Miss>(`${path}/misses?state=${state}`, signal),
  });
}

const BUILDING_MS = 4000;

/** `watches`: looks again and again while a new meaning search is being built. */
export function useModels(enabled = true, staleTime?: number, watches = false) {
  const fresh = staleTime === undefined ? {} : { staleTime };
  return useQuery({ queryKey: keys.models, queryFn: ({ signal }) => api.get<Models>("/admin/models", signal), enabled, retry: false, refetchInterval: (query) => (watches && isBuilding(query.state.data) ? BUILDING_MS : false), ...fresh });
}

const isBuilding = (models: Models | undefined): boolean => models?.items.some((item) => item.rebuild && item.rebuild.state !== "failed") ?? false;

const MODELS_HOLD_MS = 60_000; // asking looks for servers on the machine; many rows want to know, and connecting one asks anew

/** Whether a model is connected for a role, as far as this person may know: false for those who may not see the models. */
export function useHasModel(role: string): boolean {
  const me = useMe();
  const models = useModels(me.data?.role === "owner" || me.data?.role === "admin", MODELS_HOLD_MS);
  return models.data?.items.some((item) => item.role === role && item.provider !== "none") ?? false;
}

/** `everyMs` may hang on what was last seen: what is away is looked at more often. */
export function useHealth(enabled: boolean, everyMs: (last: Health | undefined) => number) {
  return useQuery({
    queryKey: keys.health,
    queryFn: ({ signal }) => api.get<Health>("/admin/health", signal),
    enabled,
    retry: false,
    refetchInterval: (query) => everyMs(query.state.data),
  });
}

/** All items of a list, page by page. */
export async function all<T>(path: string, signal?: AbortSignal): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null | undefined;
  do {
    const join = path.includes("?") ? "&" : "?";
    const page: Page<T> = await api.get<Page<T>>(cursor ? `${path}${join}cursor=${encodeURIComponent(cursor)}` : path, signal);
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor);
  return items;
}
