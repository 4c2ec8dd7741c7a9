import { useQuery } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { keys } from "@/shared/api/queries";
import type { Why } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Trouble } from "@/shared/ui/Trouble";
import { Found } from "./Found";
import type { WhyPlace } from "./HowFound";

/** How the passages of one answer were found, fetched when it is shown. */
export function FoundFor({ place }: { place: WhyPlace }) {
  const t = useT();
  const query = useQuery({
    queryKey: [...keys.turn(place.turnId), "why"],
    queryFn: ({ signal }) => api.get<Why>(`/turns/${place.turnId}/why`, signal),
    staleTime: Infinity,
  });
  return (
    <>
      {query.data ? <Found why={query.data} place={place} /> : null}
      {query.isPending ? <p>{t("how.loading")}</p> : null}
      {query.isError ? <Trouble error={query.error} onRetry={() => void query.refetch()} /> : null}
    </>
  );
}
