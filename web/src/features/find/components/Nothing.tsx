import { isByWordsOnly } from "@/features/find/lib/place";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import styles from "@/features/find/components/Find.module.css";

interface NothingProps {
  words: string;
  /** Searched in one notebook only. */
  canWiden: boolean;
  onWiden: () => void;
}

/** Nothing came near: what can be done about it. */
export function Nothing({ words, canWiden, onWiden }: NothingProps) {
  const t = useT();
  const isByWords = isByWordsOnly(words);
  return (
    <div className={styles.nothing} data-testid="find-nothing">
      <h2 role="status">{t("find.nothing", { words })}</h2>
      <ul>
        <li>{t(isByWords ? "find.nothingExact" : "find.nothingFewer")}</li>
        {isByWords ? null : <li>{t("find.nothingPrefix")}</li>}
        <li>{t("find.nothingReady")}</li>
      </ul>
      {canWiden ? <Button onClick={onWiden}>{t("find.widen")}</Button> : null}
    </div>
  );
}
