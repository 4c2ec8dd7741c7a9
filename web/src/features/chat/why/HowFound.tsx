import { useT } from "@/shared/i18n/i18n";
import { Dialog } from "@/shared/ui/Dialog";
import { FoundFor } from "./FoundFor";

/** Which answer it is about. */
export interface WhyPlace {
  /** Null: it was no notebook that was asked, so there is no reader to go to. */
  readonly notebookId: string | null;
  readonly conversation: string | null;
  readonly turnId: string;
}

/** State 27: how the passages of an answer were found, ranked, kept and dropped, and what the model was given. */
export default function HowFound({ place, onClose }: { place: WhyPlace; onClose: () => void }) {
  const t = useT();
  return (
    <Dialog open onClose={onClose} title={t("answer.how")} size="large" testId="why">
      <FoundFor place={place} />
    </Dialog>
  );
}
