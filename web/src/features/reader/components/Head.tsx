import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { IconButton } from "@/shared/ui/IconButton";
import { stepFrom, type Steps } from "../lib/useSteps";
import styles from "./Reader.module.css";

/** The way back, the title, and the way through the answer's citations. */
export function Head({ title, steps, hasAnswer, hasSearch, isNarrow }: { title: string; steps: Steps; hasAnswer: boolean; hasSearch: boolean; isNarrow: boolean }) {
  const t = useT();
  const full = t(hasSearch ? "reader.backFind" : "reader.back");
  const isBack = hasAnswer || hasSearch;
  const words = !isBack ? t("reader.close") : isNarrow ? t("reader.backShort") : full;
  return (
    <header className={styles.head}>
      <Button look="quiet" icon={isBack ? "arrowLeft" : "close"} className={styles.back} onClick={steps.back} data-testid="reader-back" aria-label={isBack ? full : undefined}>
        {words}
      </Button>
      <h2 className={styles.title} dir="auto" title={title}>
        {title}
      </h2>
      {!isNarrow && steps.current ? <StepBar steps={steps} className={styles.steps} /> : null}
    </header>
  );
}

/** ‹ 2 of 4 › */
export function StepBar({ steps, className }: { steps: Steps; className: string | undefined }) {
  const t = useT();
  const before = stepFrom(steps.marks, steps.at, -1);
  const after = stepFrom(steps.marks, steps.at, 1);
  return (
    <div className={className} role="group" aria-label={t("reader.citations")} data-testid="reader-steps">
      <IconButton small icon="chevronLeft" keys="[" label={t("reader.before")} disabled={before < 0} onClick={() => steps.go(before)} />
      <span>{t("reader.nth", { k: steps.at + 1, n: steps.marks.length })}</span>
      <IconButton small icon="chevronRight" keys="]" label={t("reader.after")} disabled={after < 0} onClick={() => steps.go(after)} />
    </div>
  );
}
