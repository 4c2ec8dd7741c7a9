import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { keys } from "@/shared/api/queries";
import { t } from "@/shared/i18n/i18n";
import { toastFailure } from "@/shared/ui/failed";
import { toast } from "@/shared/ui/toast";

/** Reads a notebook's sources again that were read with other settings than now; they answer meanwhile. */
export function useReindex(notebookId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.post<unknown>(`/notebooks/${notebookId}/reindex`),
    onSuccess: () => {
      toast(t("sources.reindexed"));
      void client.invalidateQueries({ queryKey: ["sources"] });
      void client.invalidateQueries({ queryKey: keys.notebook(notebookId) });
    },
    onError: toastFailure,
  });
}
