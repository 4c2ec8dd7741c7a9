/** Which model does what: read, set, tested. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { keys } from "@/shared/api/queries";
import type { FloorList, ModelRole, ModelTest } from "@/shared/api/types";
import { uuid } from "@/shared/lib/ids";
import { toastFailure } from "@/shared/ui/failed";

export interface ModelChoice {
  provider: ModelRole["provider"];
  base_url: string | null;
  model: string | null;
  api_key?: string;
}

export function useSaveModel(role: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (choice: ModelChoice) => api.put<unknown>(`/admin/models/${role}`, choice),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: keys.models });
      void client.invalidateQueries({ queryKey: keys.health });
    },
  });
}

/** One real test of a role: as it is stored, or as the form stands. */
export function useTestModel(role: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (choice: Partial<ModelChoice>) => api.post<ModelTest>("/admin/models/test", { role, ...choice }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.models }),
  });
}

/** How near a passage has to be in meaning, by profile, and where each number comes from. */
export function useFloors() {
  return useQuery({ queryKey: keys.floors, queryFn: ({ signal }) => api.get<FloorList>("/admin/floors", signal), retry: false, staleTime: 60_000 });
}

/** Puts the building of a new meaning search into its queue again. */
export function useRetryBuild() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (jobId: string) => api.post<unknown>(`/admin/jobs/${jobId}/retry`, undefined, { idempotencyKey: uuid() }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.models }),
    onError: toastFailure,
  });
}
