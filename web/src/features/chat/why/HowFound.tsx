import { useQuery } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { keys } from "@/shared/api/queries";
import type { Why } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Dialog } from "@/shared/ui/Dialog";
import { Trouble } from "@/shared/ui/Trouble";
import { Found } from "./Found";

/** Which answer it is about. */
export interface WhyPlace {
  readonly notebookId: string;
  readonly conversation: string | null;
  readonly turnId: string;
}

/** State 27: how the passages of an answer were found, ranked, kept and dropped, and what the model was given. */
export default function HowFound({ place, onClose }: { place: WhyPlace; onClose: () => void }) {
  const t = useT();
  const query = useQuery({
    queryKey: [...keys.turn(place.turnId), "why"],
    queryFn: ({ signal }) => api.get<Why>(`/turns/${place.turnId}/why`, signal),
    staleTime: Infinity,
  });
  return (
    <Dialog open onClose={onClose} title={t("answer.how")} size="large" testId="why">
      {query.data ? <Found why={query.data} place={place} /> : null}
      {query.isPending ? <p>{t("how.loading")}</p> : null}
      {query.isError ? <Trouble error={query.error} onRetry={() => void query.refetch()} /> : null}
    </Dialog>
  );
}
