import { useState } from "react";
import { CAPTURES, useDeed, type Capture } from "@/features/sources/api";
import type { Source } from "@/shared/api/types";
import { useT, type Key } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Choice } from "@/shared/ui/Choice";
import { Dialog } from "@/shared/ui/Dialog";
import styles from "@/features/sources/components/tabs.module.css";

/** Read a PDF again, by its text or by its pictures. */
export function RereadDialog({ source, notebookId, onClose }: { source: Source; notebookId: string; onClose: () => void }) {
  const t = useT();
  const deed = useDeed(notebookId);
  const [capture, setCapture] = useState<Capture>(CAPTURES.find((mode) => mode === source.capture) ?? "auto");
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("reread.title")}
      testId="reread"
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button look="primary" disabled={deed.isPending} onClick={() => deed.mutate({ id: source.id, deed: "reread", capture }, { onSuccess: onClose })}>
            {t("sources.reread")}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <p className={styles.lead}>
          <span dir="auto">{source.title}</span>
          <br />
          {t("reread.lead")}
        </p>
        <Choice
          legend={t("reread.how")}
          name="reread"
          value={capture}
          onChange={setCapture}
          options={CAPTURES.map((value) => ({ value, label: t(`settings.capture.${value}`), note: t(`settings.capture.${value}_note` as Key) }))}
        />
      </div>
    </Dialog>
  );
}
