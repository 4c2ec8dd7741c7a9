import { useState } from "react";
import type { Why } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import styles from "./HowFound.module.css";

const SHOWN = 24;

/** The words of the question, each with the number of passages that hold it; too common ones were not searched for. */
export function QuestionWords({ words }: { words: NonNullable<Why["words"]> }) {
  const t = useT();
  const [isAll, setAll] = useState(false);
  const shown = isAll ? words : words.slice(0, SHOWN);
  return (
    <div>
      <h3 className={styles.part}>{t("how.words")}</h3>
      <ul className={styles.words} data-testid="why-words">
        {shown.map(({ word, chunks }, at) => (
          <li key={`${word} ${at}`} className={styles.word} data-none={chunks === 0 || undefined} data-unsearched={chunks === null || undefined}>
            <span dir="auto">{word}</span>
            <span className={styles.count}>{chunks === null ? t("how.unsearched") : t("how.holds", { n: chunks })}</span>
          </li>
        ))}
        {words.length > shown.length ? (
          <li>
            <Button look="link" small onClick={() => setAll(true)}>
              {t("how.moreWords", { n: words.length - shown.length })}
            </Button>
          </li>
        ) : null}
      </ul>
    </div>
  );
}
