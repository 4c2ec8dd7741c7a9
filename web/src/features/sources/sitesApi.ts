/** Sites of a notebook: web sites whose pages are sources of their own. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { all } from "@/shared/api/queries";
import type { Site } from "@/shared/api/types";
import { t } from "@/shared/i18n/i18n";
import { uuid } from "@/shared/lib/ids";
import { toastFailure } from "@/shared/ui/failed";
import { toast } from "@/shared/ui/toast";

const LOOKING_MS = 3000; // while pages are looked for; the feed tells of each page, not of the site

const key = (notebookId: string) => ["sources", "sites", notebookId] as const;

export const isLooking = (site: Site): boolean => site.status === "queued" || site.status === "looking";

export function useSites(notebookId: string) {
  return useQuery({
    queryKey: key(notebookId),
    queryFn: ({ signal }) => all<Site>(`/notebooks/${notebookId}/sites`, signal),
    refetchInterval: (query) => (query.state.data?.some(isLooking) ? LOOKING_MS : false),
  });
}

export interface SiteChoice {
  url: string;
  addresses?: string[];
  max_pages: number;
  refresh_hours: number | null;
}

/** Adds a site; its pages come one by one. */
export function useAddSite(notebookId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (choice: SiteChoice) => api.post<unknown>(`/notebooks/${notebookId}/sites`, choice, { idempotencyKey: uuid() }),
    onSuccess: () => {
      toast(t("add.site_added"));
      void client.invalidateQueries({ queryKey: key(notebookId) });
    },
  });
}

/** Look now, look more or less often, or no more. */
export function useSiteDeeds(notebookId: string) {
  const client = useQueryClient();
  const settled = { onSettled: () => client.invalidateQueries({ queryKey: key(notebookId) }), onError: toastFailure };
  return {
    look: useMutation({ mutationFn: (id: string) => api.post<unknown>(`/sites/${id}/look`), ...settled }),
    plan: useMutation({ mutationFn: ({ id, hours }: { id: string; hours: number | null }) => api.patch<unknown>(`/sites/${id}`, { refresh_hours: hours }), ...settled }),
    stop: useMutation({ mutationFn: (id: string) => api.del(`/sites/${id}`), onSuccess: () => toast(t("sites.stopped")), ...settled }),
  };
}
