/** Which model does what: read, set, tested. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { keys } from "@/shared/api/queries";
import type { ModelRole, ModelTest } from "@/shared/api/types";

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
