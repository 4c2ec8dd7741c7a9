/** Assistants: what the page reads and does. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { all, keys } from "@/shared/api/queries";
import type { components } from "@/shared/api/openapi";
import { t } from "@/shared/i18n/i18n";
import { uuid } from "@/shared/lib/ids";
import { toastFailure } from "@/shared/ui/failed";
import { toast } from "@/shared/ui/toast";

type Schemas = components["schemas"];
export type Assistant = Schemas["AssistantRead"];
export type AssistantSource = Schemas["AssistantSource"];
export type Publication = Schemas["Publication"];
export type Published = Schemas["Published"];
export type Profile = Schemas["ProfileRead"];
export type Change = Partial<Schemas["AssistantUpdate"]>;

const MOVING_MS = 4000;
const KEYS = {
  list: ["assistants"] as const,
  one: (id: string) => ["assistants", id] as const,
  profiles: ["profiles"] as const,
};

export function useAssistants() {
  return useQuery({ queryKey: KEYS.list, queryFn: ({ signal }) => all<Assistant>("/assistants", signal) });
}

export function useAssistant(id: string) {
  return useQuery({
    queryKey: KEYS.one(id),
    queryFn: ({ signal }) => api.get<Assistant>(`/assistants/${id}`, signal),
    refetchInterval: (query) => (query.state.data?.reindexing ? MOVING_MS : false),
  });
}

export function useProfiles() {
  return useQuery({ queryKey: KEYS.profiles, queryFn: async ({ signal }) => (await api.get<{ items: Profile[] }>("/profiles", signal)).items, staleTime: Infinity });
}

export function useCreateAssistant(onMade: (made: Assistant) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: { name: string; profile: string }) => api.post<Assistant>("/assistants", asked, { idempotencyKey: uuid() }),
    onSuccess: (made) => {
      client.setQueryData(KEYS.one(made.id), made);
      void client.invalidateQueries({ queryKey: KEYS.list, exact: true });
      onMade(made);
    },
  });
}

/** Changes the draft; who may meet it holds at once. */
export function useChangeAssistant(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: Change) => api.patch<Assistant>(`/assistants/${id}`, change),
    onSuccess: (changed) => {
      client.setQueryData(KEYS.one(id), changed);
      void client.invalidateQueries({ queryKey: KEYS.list, exact: true });
      toast(t("assistants.saved"));
    },
  });
}

export function useTrashAssistant() {
  const client = useQueryClient();
  const again = (): void => void client.invalidateQueries({ queryKey: KEYS.list, exact: true });
  return useMutation({
    mutationFn: (row: Assistant) => api.del(`/assistants/${row.id}`),
    onSuccess: (_, row) => {
      again();
      const undo = (): void => void api.post<unknown>(`/assistants/${row.id}/restore`).then(again, toastFailure);
      toast(t("assistants.trashed"), { action: { label: t("ui.undo"), run: undo } });
    },
    onError: toastFailure,
  });
}

export function useAssistantSources(id: string) {
  return useQuery({
    queryKey: keys.sources(id),
    queryFn: ({ signal }) => all<AssistantSource>(`/assistants/${id}/sources`, signal),
    refetchInterval: (query) => (query.state.data?.some((row) => row.state === "given" && row.searchable !== "full" && row.status !== "failed") ? MOVING_MS : false),
  });
}

export interface Granting {
  rows: readonly AssistantSource[];
  state: AssistantSource["state"];
}

/** Given, paused, or not given, of one source or of several; the rows show it at once. */
export function useGrant(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ rows, state }: Granting) => {
      for (const row of rows) {
        if (row.state === state) continue;
        if (state === "none") await api.del(`/assistants/${id}/sources/${row.id}`);
        else await api.put<AssistantSource>(`/assistants/${id}/sources/${row.id}`, { grant: state });
      }
    },
    onMutate: ({ rows, state }) => {
      const ids = new Set(rows.map((row) => row.id));
      client.setQueryData<AssistantSource[]>(keys.sources(id), (known) => known?.map((other) => (ids.has(other.id) ? { ...other, state } : other)));
    },
    onSettled: () => {
      void client.invalidateQueries({ queryKey: keys.sources(id) });
      void client.invalidateQueries({ queryKey: KEYS.one(id), exact: true });
    },
    onError: toastFailure,
  });
}

/** What sources say of themselves, beside what they said already; only who owns them may change it. Nothing is read again. */
export function useTellMeta(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (told: readonly { id: string; meta: Record<string, unknown> }[]) => {
      for (const one of told) await api.patch<unknown>(`/sources/${one.id}`, { meta: one.meta });
    },
    onSuccess: () => toast(t("assistants.saved")),
    onSettled: () => client.invalidateQueries({ queryKey: keys.sources(id) }),
  });
}

/** Runs the test questions on the draft and publishes it, or only looks. `isFirst`: there is nothing published to compare with. */
export function usePublish(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ when, isFirst }: { when: "always" | "as_before" | "never"; isFirst: boolean }) => ({ ...(await api.post<Published>(`/assistants/${id}/publish`, { when })), isFirst }),
    onSuccess: () => client.invalidateQueries({ queryKey: KEYS.list }),
  });
}

/** Cuts its sources anew as its purpose asks; it answers meanwhile as before. */
export function useReindex(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.post<Assistant>(`/assistants/${id}/reindex`),
    onSuccess: (changed) => client.setQueryData(KEYS.one(id), changed),
    onError: toastFailure,
  });
}
