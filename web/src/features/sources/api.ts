/** Sources of a notebook: what the page does to them. */
import { useMutation, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { all, keys } from "@/shared/api/queries";
import type { EstimateTotal, Source } from "@/shared/api/types";
import { t } from "@/shared/i18n/i18n";
import { toastFailure } from "@/shared/ui/failed";
import { toast } from "@/shared/ui/toast";

/** Puts rows the gateway just gave into the list, so that the row is there before the list is fetched again. */
export function putSources(client: QueryClient, notebookId: string, rows: Source[]): void {
  client.setQueryData<Source[]>(keys.sources(notebookId), (known = []) => {
    const ids = new Set(rows.map((row) => row.id));
    return [...rows, ...known.filter((row) => !ids.has(row.id))];
  });
  void client.invalidateQueries({ queryKey: keys.sources(notebookId) });
  void client.invalidateQueries({ queryKey: keys.notebooks });
}

function useChanged(notebookId: string): () => void {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: ["sources"] });
    void client.invalidateQueries({ queryKey: keys.notebook(notebookId) });
  };
}

export const CAPTURES = ["auto", "text", "vision"] as const;
export type Capture = (typeof CAPTURES)[number];
export type Deed = "retry" | "reread" | "stop";

/** Retry (with a password where one is needed), read again (in another capture mode), stop. */
export function useDeed(notebookId: string) {
  const changed = useChanged(notebookId);
  return useMutation({
    mutationFn: ({ id, deed, ...body }: { id: string; deed: Deed; password?: string; capture?: Capture }) =>
      api.post<unknown>(`/sources/${id}/${deed}`, Object.keys(body).length > 0 ? body : undefined),
    onSuccess: changed,
    onError: toastFailure,
  });
}

/** Says what is to be done with the pages that would cost money, of one source or of several. */
export function useApprove(notebookId: string) {
  const changed = useChanged(notebookId);
  return useMutation({
    mutationFn: ({ ids, pages }: { ids: string[]; pages: "all" | "text" }) => Promise.all(ids.map((id) => api.post<unknown>(`/sources/${id}/approve`, { pages }))),
    onSuccess: changed,
    onError: toastFailure,
  });
}

/** Gives a source to this notebook, or pauses it for everyone. */
export function useGrant(notebookId: string) {
  const changed = useChanged(notebookId);
  return useMutation({
    mutationFn: ({ id, grant }: { id: string; grant: "given" | "paused" }) => api.put<unknown>(`/notebooks/${notebookId}/sources/${id}`, { grant }),
    onSuccess: changed,
    onError: toastFailure,
  });
}

/** Takes a source out of this notebook; the toast puts it back. */
export function useUnlink(notebookId: string) {
  const client = useQueryClient();
  const changed = useChanged(notebookId);
  const grant = useGrant(notebookId);
  return useMutation({
    mutationFn: (source: Source) => api.del(`/notebooks/${notebookId}/sources/${source.id}`),
    onSuccess: (_, source) => {
      drop(client, notebookId, source.id);
      changed();
      toast(t("sources.removed"), { action: { label: t("ui.undo"), run: () => grant.mutate({ id: source.id, grant: source.grant ?? "given" }) } });
    },
    onError: toastFailure,
  });
}

/** Moves a source to the trash; the toast puts it back. */
export function useTrashSource(notebookId: string) {
  const client = useQueryClient();
  const changed = useChanged(notebookId);
  const restore = useMutation({ mutationFn: (id: string) => api.post<unknown>(`/sources/${id}/restore`), onSuccess: changed, onError: toastFailure });
  return useMutation({
    mutationFn: (source: Source) => api.del(`/sources/${source.id}`),
    onSuccess: (_, source) => {
      drop(client, notebookId, source.id);
      changed();
      toast(t("home.trashed"), { action: { label: t("ui.undo"), run: () => restore.mutate(source.id) } });
    },
    onError: toastFailure,
  });
}

function drop(client: QueryClient, notebookId: string, id: string): void {
  client.setQueryData<Source[]>(keys.sources(notebookId), (known) => known?.filter((row) => row.id !== id));
}

export interface Details {
  title: string;
  authors: string[];
  year: number | null;
  doi: string | null;
  labels: string[];
  external_id: string | null;
}

export function useSaveDetails(notebookId: string) {
  const changed = useChanged(notebookId);
  return useMutation({
    mutationFn: ({ id, details }: { id: string; details: Details }) => api.patch<Source>(`/sources/${id}`, details),
    onSuccess: changed,
    onError: toastFailure,
  });
}

/** What reading the pictures of all sources that wait for a yes would take, as the server counts it. */
export function useEstimate(notebookId: string, waiting: string[]) {
  return useQuery({
    queryKey: ["sources", "estimate", notebookId, ...waiting],
    queryFn: ({ signal }) => api.get<EstimateTotal>(`/notebooks/${notebookId}/estimate`, signal),
    enabled: waiting.length > 1,
  });
}

/** Every own source, in whatever notebook. */
export function useLibrary() {
  return useQuery({ queryKey: keys.library, queryFn: ({ signal }) => all<Source>("/sources", signal) });
}
