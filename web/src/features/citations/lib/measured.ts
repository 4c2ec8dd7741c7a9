/** What the checks were measured at: read from the published evaluation, never typed; nothing is said before it is published. */

import { useQuery } from "@tanstack/react-query";
import { api } from "@/shared/api/client";

/** So many of 100 "found" marks were wrong, as it is written; null while no figure is published. */
export function useWrongOf100(): string | null {
  const { data } = useQuery({
    queryKey: ["checks"],
    queryFn: ({ signal }) => api.get<{ wrong_of_100?: number | null }>("/checks", signal),
    retry: false,
    staleTime: Infinity,
  });
  const wrong = data?.wrong_of_100;
  return typeof wrong === "number" ? String(Math.round(wrong * 10) / 10) : null;
}
