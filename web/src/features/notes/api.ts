/** Notes of a notebook: what the page reads and does. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { api } from "@/shared/api/client";
import { useMakeNote } from "@/shared/api/notes";
import { all, keys } from "@/shared/api/queries";
import type { Note } from "@/shared/api/types";
import { t } from "@/shared/i18n/i18n";
import { noteAddress } from "@/shared/lib/addresses";
import { toastFailure } from "@/shared/ui/failed";
import { toast } from "@/shared/ui/toast";

export function useNotes(notebookId: string, enabled = true) {
  return useQuery({ queryKey: keys.notes(notebookId), queryFn: ({ signal }) => all<Note>(`/notebooks/${notebookId}/notes`, signal), enabled });
}

/** A new, empty note that opens at once. */
export function useNewNote(notebookId: string) {
  const [, go] = useLocation();
  return useMakeNote(notebookId, (made) => go(noteAddress(notebookId, made.id), { state: { edits: true } }));
}

export function useChangeNote(note: Note) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: { title?: string; text?: string }) => api.patch<Note>(`/notes/${note.id}`, change),
    onSuccess: (changed) => {
      client.setQueryData<Note[]>(keys.notes(note.notebook_id), (known) => known?.map((one) => (one.id === changed.id ? changed : one)));
    },
    onError: toastFailure,
  });
}

/** The note becomes a source that can be asked. */
export function useNoteAsSource(note: Note) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.post<unknown>(`/notes/${note.id}/source`),
    onSuccess: () => {
      toast(t("notes.sourceMade"));
      void client.invalidateQueries({ queryKey: keys.notes(note.notebook_id) });
      void client.invalidateQueries({ queryKey: keys.sources(note.notebook_id) });
      void client.invalidateQueries({ queryKey: keys.notebooks });
    },
    onError: toastFailure,
  });
}

/** Moves a note to the trash; the toast brings it back. */
export function useTrashNote(notebookId: string) {
  const client = useQueryClient();
  const refetch = (): void => void client.invalidateQueries({ queryKey: keys.notes(notebookId) });
  return useMutation({
    mutationFn: (note: Note) => api.del(`/notes/${note.id}`),
    onSuccess: (_, note) => {
      client.setQueryData<Note[]>(keys.notes(notebookId), (known) => known?.filter((one) => one.id !== note.id));
      const undo = (): void => void api.post(`/notes/${note.id}/restore`).then(refetch, toastFailure);
      toast(t("talks.moved"), { action: { label: t("talks.undo"), run: undo } });
      refetch();
    },
    onError: toastFailure,
  });
}
