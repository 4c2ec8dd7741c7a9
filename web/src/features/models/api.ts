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

const LOOKS_MS = [1500, 4000, 9000, 20_000]; // the new meaning search is begun by a worker, moments later

export function useSaveModel(role: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (choice: ModelChoice) => api.put<unknown>(`/admin/models/${role}`, choice),
    onSuccess: () => {
      const look = (): void => void client.invalidateQueries({ queryKey: keys.models });
      look();
      if (role === "embedding") for (const ms of LOOKS_MS) setTimeout(look, ms);
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

/** How near a passage has to be in meaning, by profile, and where each number comes from; asked anew when the model changed. */
export function useFloors(item: ModelRole) {
  return useQuery({ queryKey: [...keys.floors, item.model, item.rebuild === null], queryFn: ({ signal }) => api.get<FloorList>("/admin/floors", signal), retry: false, staleTime: 0 });
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
