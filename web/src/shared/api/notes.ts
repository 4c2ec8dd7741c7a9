import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { api } from "@/shared/api/client";
import { keys } from "@/shared/api/queries";
import type { Note } from "@/shared/api/types";
import { t } from "@/shared/i18n/i18n";
import { noteAddress } from "@/shared/lib/addresses";
import { uuid } from "@/shared/lib/ids";
import { toastFailure } from "@/shared/ui/failed";
import { toast } from "@/shared/ui/toast";

/** An answer, a range of a source, or words of one's own. */
export type NewNote =
  | { turn_id: string }
  | { source_id: string; reading_id: string; passage: number; start: number; end: number }
  | { title: string; text: string };

/** Makes a note; pressing twice on a slow line makes one. */
export function useMakeNote(notebookId: string, onMade: (made: Note) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (made: NewNote) => api.post<Note>(`/notebooks/${notebookId}/notes`, made, { idempotencyKey: uuid() }),
    onSuccess: (made) => {
      client.setQueryData<Note[]>(keys.notes(notebookId), (known) => (known ? [made, ...known.filter((one) => one.id !== made.id)] : known));
      void client.invalidateQueries({ queryKey: keys.notes(notebookId) });
      onMade(made);
    },
    onError: toastFailure,
  });
}

/** Keeps an answer or a selection; the toast leads to the note, with the conversation beside it. */
export function useSaveToNote(notebookId: string, conversation: string | null) {
  const [, go] = useLocation();
  return useMakeNote(notebookId, (made) => {
    toast(t("answer.savedNote"), { action: { label: t("answer.openNote"), run: () => go(noteAddress(notebookId, made.id, conversation)) } });
  });
}
