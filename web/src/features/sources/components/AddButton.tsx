import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import styles from "@/features/sources/components/AddButton.module.css";

/** The way in for new sources; a drag and a paste anywhere do the same. */
export function AddButton({ onAdd }: { onAdd: () => void }) {
  const t = useT();
  return (
    <Button icon="add" className={styles.add} title={t("sources.drop_hint")} onClick={onAdd} data-testid="add-sources">
      {t("sources.add")}
    </Button>
  );
}
