import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import styles from "@/features/notebooks/components/NoNotebooks.module.css";

/** State 2: nothing yet, and the two ways to begin. */
export function NoNotebooks({ onNew, onSample, busy }: { onNew: () => void; onSample: () => void; busy: boolean }) {
  const t = useT();
  return (
    <section className={styles.none} data-testid="no-notebooks">
      <svg className={styles.sketch} viewBox="0 0 120 88" aria-hidden="true" focusable="false">
        <rect x="16" y="8" width="56" height="72" rx="6" />
        <path d="M28 26h32M28 36h32M28 46h20" />
        <rect x="62" y="34" width="44" height="30" rx="6" className={styles.front} />
        <path d="m74 49 6 6 13-13" className={styles.tick} />
      </svg>
      <p className={styles.words}>{t("home.empty")}</p>
      <div className={styles.ways}>
        <Button look="primary" icon="add" onClick={onNew} disabled={busy}>
          {t("home.new")}
        </Button>
        <Button onClick={onSample} disabled={busy}>
          {t("home.sample")}
        </Button>
      </div>
    </section>
  );
}
