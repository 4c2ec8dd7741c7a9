/** The search without an answer. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import type { FoundList } from "@/shared/api/types";

export const MOST = 30; // passages; more than anybody reads through

const HOLD_MS = 60_000; // back from the reader the results are there, and no second search is counted

/** What `words` find in a notebook, or (null) in all of mine; what was found before stays until the new is there. */
export function useFound(notebookId: string | null, words: string) {
  return useQuery({
    queryKey: ["find", notebookId, words],
    queryFn: ({ signal }) => api.post<FoundList>(notebookId ? `/notebooks/${notebookId}/search` : "/search", { query: words, k: MOST }, { signal }),
    enabled: words !== "",
    staleTime: HOLD_MS,
    placeholderData: words === "" ? undefined : keepPreviousData,
    retry: false,
  });
}
