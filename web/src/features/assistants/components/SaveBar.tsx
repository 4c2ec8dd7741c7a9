import type { UseMutationResult } from "@tanstack/react-query";
import type { Assistant, Change } from "@/features/assistants/api";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/assistants/components/Assistants.module.css";

/** Save, and what was refused. */
export function SaveBar({ save, isChanged, onSave }: { save: UseMutationResult<Assistant, Error, Change>; isChanged: boolean; onSave: () => void }) {
  const t = useT();
  return (
    <>
      {save.isError ? <Trouble error={save.error} /> : null}
      <p className={styles.ways}>
        <Button look="primary" disabled={!isChanged || save.isPending} onClick={onSave}>
          {t("ui.save")}
        </Button>
      </p>
    </>
  );
}
