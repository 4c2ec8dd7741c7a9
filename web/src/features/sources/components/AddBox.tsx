import { AddPanel } from "@/features/sources/components/AddPanel";
import { useT } from "@/shared/i18n/i18n";
import styles from "@/features/sources/components/AddBox.module.css";

/** State 3: in an empty notebook the add box is the chat column. */
export function AddBox({ notebookId }: { notebookId: string }) {
  const t = useT();
  return (
    <section className={styles.box} data-testid="empty" aria-labelledby="add-box-title">
      <h2 id="add-box-title" className={styles.title}>
        {t("home.empty")}
      </h2>
      <p className={styles.hint}>{t("sources.drop_hint")}</p>
      <AddPanel notebookId={notebookId} onDone={() => undefined} />
    </section>
  );
}
