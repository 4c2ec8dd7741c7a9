/** Questions that found no answer, and the test questions made of them. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { useHolderPath } from "@/shared/api/holder";
import { all, keys } from "@/shared/api/queries";
import type { Miss, TestQuestion, Turn } from "@/shared/api/types";
import { t } from "@/shared/i18n/i18n";
import { uuid } from "@/shared/lib/ids";
import { toastFailure } from "@/shared/ui/failed";
import { toast } from "@/shared/ui/toast";

export function useTestQuestions(notebookId: string) {
  const path = useHolderPath(notebookId);
  return useQuery({ queryKey: keys.questions(notebookId), queryFn: ({ signal }) => all<TestQuestion>(`${path}/questions`, signal) });
}

const missPath = (holderPath: string, key: string): string => `${holderPath}/misses/${encodeURIComponent(key)}`;

/** Solved, or open again; the toast takes it back. */
export function useSettleMiss(notebookId: string) {
  const client = useQueryClient();
  const path = useHolderPath(notebookId);
  const settle = useMutation({
    mutationFn: ({ miss, state }: { miss: Miss; state: "open" | "solved" }) => api.post<unknown>(missPath(path, miss.key), { state }),
    onSuccess: (_, { miss, state }) => {
      void client.invalidateQueries({ queryKey: keys.misses(notebookId) });
      const undo = (): void => settle.mutate({ miss, state: "open" });
      toast(t(state === "solved" ? "misses.solvedToast" : "misses.openedToast"), state === "solved" ? { action: { label: t("ui.undo"), run: undo } } : {});
    },
    onError: toastFailure,
  });
  return settle;
}

export interface NewQuestion {
  /** The group it is made of; null for one of the person's own. */
  key: string | null;
  question: string;
  /** Empty: nothing of the sources answers it. */
  sourceIds: string[];
  kind?: TestQuestion["kind"];
}

export function useMakeQuestion(notebookId: string) {
  const client = useQueryClient();
  const holder = useHolderPath(notebookId);
  return useMutation({
    mutationFn: ({ key, question, sourceIds, kind }: NewQuestion) => {
      const more = { source_ids: sourceIds, ...(kind ? { kind } : {}) };
      const [path, body] = key === null ? [`${holder}/questions`, { question, ...more }] : [`${missPath(holder, key)}/question`, more];
      return api.post<TestQuestion>(path, body, { idempotencyKey: uuid() });
    },
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: keys.misses(notebookId) });
      void client.invalidateQueries({ queryKey: keys.questions(notebookId) });
    },
  });
}

/** Deletes a test question; the toast makes it again. */
export function useDeleteQuestion(notebookId: string) {
  const client = useQueryClient();
  const make = useMakeQuestion(notebookId);
  return useMutation({
    mutationFn: (row: TestQuestion) => api.del(`/questions/${row.id}`),
    onSuccess: (_, row) => {
      client.setQueryData<TestQuestion[]>(keys.questions(notebookId), (known) => known?.filter((other) => other.id !== row.id));
      void client.invalidateQueries({ queryKey: keys.misses(notebookId) });
      const again = { key: null, question: row.question, sourceIds: row.source_ids, kind: row.kind };
      toast(t("misses.deleted"), { action: { label: t("ui.undo"), run: () => make.mutate(again, { onError: toastFailure }) } });
    },
    onError: toastFailure,
  });
}

/** The conversation a turn stands in; a list of questions knows only the turn. */
export function turnOf(turnId: string): Promise<Turn> {
  return api.get<Turn>(`/turns/${turnId}`);
}
