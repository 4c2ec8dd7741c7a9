import { useState } from "react";
import type { Why } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import styles from "./HowFound.module.css";

const SHOWN = 24;

/** The words of the question, each with the number of passages that hold it; too common ones were not searched for. */
export function QuestionWords({ words }: { words: Why["words"] }) {
  const t = useT();
  const [isAll, setAll] = useState(false);
  const searched = words.flatMap(({ word, chunks }) => (chunks === null ? [] : [{ word, chunks }]));
  const common = words.filter(({ chunks }) => chunks === null).map(({ word }) => word);
  const shown = isAll ? searched : searched.slice(0, SHOWN);
  return (
    <div>
      <h3 className={styles.part}>{t("how.words")}</h3>
      <ul className={styles.words} data-testid="why-words">
        {shown.map(({ word, chunks }, at) => (
          <li key={`${word} ${at}`} className={styles.word} data-none={chunks === 0 || undefined}>
            <span dir="auto">{word}</span>
            <span className={styles.count}>{t("how.holds", { n: chunks })}</span>
          </li>
        ))}
        {searched.length > shown.length ? (
          <li>
            <Button look="link" small onClick={() => setAll(true)}>
              {t("how.moreWords", { n: searched.length - shown.length })}
            </Button>
          </li>
        ) : null}
      </ul>
      {common.length > 0 ? <p className={styles.quiet}>{t("how.common", { words: [...new Set(common)].join(", ") })}</p> : null}
    </div>
  );
}
