import styles from "@/shared/ui/Progress.module.css";

/** A thin bar; without `of` it stands at a sliver, because nothing here loops. `label` is its name for ears. */
export function Progress({ done, of, label }: { done: number; of: number | null; label: string }) {
  const share = of && of > 0 ? Math.min(1, done / of) : 0.04;
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={of ?? undefined}
      aria-valuenow={of ? Math.min(done, of) : undefined}
      className={styles.track}
    >
      <div className={styles.bar} style={{ transform: `scaleX(${share})` }} />
    </div>
  );
}
