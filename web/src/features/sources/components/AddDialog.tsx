import { AddPanel, type AddPanelProps } from "@/features/sources/components/AddPanel";
import { useT } from "@/shared/i18n/i18n";
import { Dialog } from "@/shared/ui/Dialog";

/** State 4: one dialog, four tabs. */
export function AddDialog({ onClose, ...panel }: Omit<AddPanelProps, "onDone"> & { onClose: () => void }) {
  const t = useT();
  return (
    <Dialog open onClose={onClose} title={t("add.title")} size="large" testId="add-dialog">
      <AddPanel {...panel} onDone={onClose} />
    </Dialog>
  );
}
