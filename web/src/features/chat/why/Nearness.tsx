import { useT } from "@/shared/i18n/i18n";
import { length, measure } from "../lib/why";
import styles from "./Candidate.module.css";

/** How near a passage is in meaning, as a bar with the mark that it has to reach; the number beside it says the same. */
export function Nearness({ similarity, floor }: { similarity: number | null; floor: number | null }) {
  const t = useT();
  if (similarity === null) return <span className={styles.nearness} />;
  const isUnder = floor !== null && similarity < floor;
  return (
    <span className={styles.nearness}>
      <span className="heard">{t("how.near")} </span>
      <span className={styles.track} aria-hidden="true">
        <span className={styles.bar} data-under={isUnder || undefined} style={{ inlineSize: `${length(similarity) * 100}%` }} />
        {floor === null ? null : <span className={styles.floor} style={{ insetInlineStart: `${length(floor) * 100}%` }} />}
      </span>
      <span className={styles.number}>{measure(similarity)}</span>
    </span>
  );
}
