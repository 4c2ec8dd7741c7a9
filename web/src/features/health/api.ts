import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { keys } from "@/shared/api/queries";
import { t } from "@/shared/i18n/i18n";
import { uuid } from "@/shared/lib/ids";
import { toastFailure } from "@/shared/ui/failed";
import { toast } from "@/shared/ui/toast";

/** Puts a failed job into its queue again. */
export function useRetryJob() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (jobId: string) => api.post<unknown>(`/admin/jobs/${jobId}/retry`, undefined, { idempotencyKey: uuid() }),
    onSuccess: () => toast(t("health.retried")),
    onSettled: () => client.invalidateQueries({ queryKey: keys.health }),
    onError: toastFailure,
  });
}
