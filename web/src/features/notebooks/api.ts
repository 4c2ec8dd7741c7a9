/** Notebooks and the trash: what the page reads and does. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { all, keys } from "@/shared/api/queries";
import type { Notebook, TrashItem } from "@/shared/api/types";
import { t } from "@/shared/i18n/i18n";
import { uuid } from "@/shared/lib/ids";
import { toastFailure } from "@/shared/ui/failed";
import { toast } from "@/shared/ui/toast";

export function useTrash(enabled: boolean) {
  return useQuery({ queryKey: keys.trash, queryFn: ({ signal }) => all<TrashItem>("/trash", signal), enabled });
}

/** A new, empty notebook; pressing twice on a slow line makes one. */
export function useCreateNotebook(onMade: (notebook: Notebook) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.post<Notebook>("/notebooks", { title: t("home.untitled") }, { idempotencyKey: uuid() }),
    onSuccess: (made) => {
      client.setQueryData(keys.notebook(made.id), made);
      void client.invalidateQueries({ queryKey: keys.notebooks, exact: true });
      onMade(made);
    },
    onError: toastFailure,
  });
}

export function useRenameNotebook() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, title }: { id: string; title: string }) => api.patch<Notebook>(`/notebooks/${id}`, { title }),
    onSuccess: (changed) => {
      client.setQueryData(keys.notebook(changed.id), changed);
      void client.invalidateQueries({ queryKey: keys.notebooks, exact: true });
    },
    onError: toastFailure,
  });
}

/** Changes what the notebook is for. */
export function useChangeNotebook(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: { profile: string }) => api.patch<Notebook>(`/notebooks/${id}`, change),
    onSuccess: (changed) => client.setQueryData(keys.notebook(id), changed),
    onSettled: () => client.invalidateQueries({ queryKey: keys.notebooks, exact: true }),
    onError: toastFailure,
  });
}

/** Changes the notebook's own settings. */
export function useSaveNotebookSettings(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (settings: { captions?: boolean }) => api.patch<Notebook>(`/notebooks/${id}`, { settings }),
    onSuccess: (changed) => {
      client.setQueryData(keys.notebook(id), changed);
      void client.invalidateQueries({ queryKey: keys.notebooks, exact: true });
      void client.invalidateQueries({ queryKey: ["sources"] });
    },
    onError: toastFailure,
  });
}

/** Moves a notebook to the trash; the toast brings it back. */
export function useTrashNotebook() {
  const client = useQueryClient();
  const restore = useRestore();
  return useMutation({
    mutationFn: (notebook: Notebook) => api.del(`/notebooks/${notebook.id}`),
    onSuccess: (_, notebook) => {
      client.setQueryData<Notebook[]>(keys.notebooks, (known) => known?.filter((other) => other.id !== notebook.id));
      void client.invalidateQueries({ queryKey: keys.notebooks, exact: true });
      const undo = (): void => restore.mutate({ kind: "notebook", id: notebook.id });
      toast(t("home.trashed"), { action: { label: t("ui.undo"), run: undo } });
    },
    onError: toastFailure,
  });
}

/** Takes something out of the trash. */
export function useRestore() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ kind, id }: { kind: TrashItem["kind"]; id: string }) => api.post<unknown>(`/${kind}s/${id}/restore`),
    onSuccess: () => {
      toast(t("home.restored"));
      void client.invalidateQueries();
    },
    onError: toastFailure,
  });
}

export function useDeleteForGood() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (item: TrashItem) => api.del(`/trash/${item.id}`),
    onSettled: () => client.invalidateQueries({ queryKey: keys.trash }),
    onError: toastFailure,
  });
}
