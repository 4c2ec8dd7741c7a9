import { testWords } from "@/features/models/lib/roles";
import type { ModelTest } from "@/shared/api/types";
import { ago, useT } from "@/shared/i18n/i18n";
import { Icon } from "@/shared/ui/Icon";
import styles from "@/features/models/components/TestLine.module.css";

/** The last test in numbers: speed, words a second, how often it cited rightly. */
export function TestLine({ test, isRunning }: { test: ModelTest | null; isRunning: boolean }) {
  const t = useT();
  return (
    <p className={styles.line} role="status" data-testid="model-test">
      {isRunning ? t("models.testing") : null}
      {!isRunning && !test ? t("models.not_tested") : null}
      {!isRunning && test ? (
        <span className={test.ok ? styles.good : styles.bad}>
          <Icon name={test.ok ? "check" : "warning"} size={14} />
          <span>
            {testWords(test)}
            {test.at ? <span className={styles.when}> · {t("models.tested_at", { when: ago(test.at) })}</span> : null}
          </span>
        </span>
      ) : null}
    </p>
  );
}
