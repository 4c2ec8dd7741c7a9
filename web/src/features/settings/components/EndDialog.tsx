import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";

interface EndProps {
  title: string;
  /** What stops then. */
  what: string;
  yes: string;
  isPending: boolean;
  onYes: () => void;
  onClose: () => void;
}

/** Asks before a token or a webhook is ended; it cannot be brought back. */
export function EndDialog({ title, what, yes, isPending, onYes, onClose }: EndProps) {
  const t = useT();
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      size="small"
      testId="end-access"
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button look="danger" disabled={isPending} onClick={onYes}>
            {yes}
          </Button>
        </>
      }
    >
      <p>{what}</p>
    </Dialog>
  );
}
