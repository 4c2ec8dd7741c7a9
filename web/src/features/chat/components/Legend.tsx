import textStyles from "@/features/citations/components/AnswerText.module.css";
import markStyles from "@/features/citations/components/Mark.module.css";
import { VerdictIcon } from "@/features/citations/components/VerdictIcon";
import { verdictWords } from "@/features/citations/lib/verdict";
import type { MarkState } from "@/features/citations/lib/statements";
import { useWrongOf100 } from "@/features/citations/lib/measured";
import { useT, type Key } from "@/shared/i18n/i18n";
import styles from "./Turn.module.css";

const ROWS: readonly [MarkState, Key][] = [
  ["found", "why.found"],
  ["partly", "marks.partly"],
  ["number_differs", "marks.number_differs"],
  ["not_found", "why.not_found"],
  ["removed", "why.removed"],
];

/** What the marks mean, in words; what was compared, never that something is true. */
export function Legend({ id }: { id: string }) {
  const t = useT();
  const wrong = useWrongOf100();
  return (
    <dl className={styles.legend} id={id} data-testid="legend">
      {ROWS.map(([state, reason]) => (
        <Row key={state} state={state} reason={t(reason)} />
      ))}
      <dt>
        <span className={textStyles.uncited}>abc</span>
      </dt>
      <dd>
        <strong>{t("answer.uncited")}.</strong> {t("answer.uncitedWhy")}
      </dd>
      <dd className={styles.legendNote}>
        {t("marks.note")} {wrong === null ? null : t("marks.measured", { n: wrong })}
      </dd>
    </dl>
  );
}

function Row({ state, reason }: { state: MarkState; reason: string }) {
  const t = useT();
  return (
    <>
      <dt className={[markStyles.mark, markStyles[state]].join(" ")}>
        <span className={markStyles.chip}>
          <VerdictIcon state={state} size={12} />1
        </span>
      </dt>
      <dd>
        <strong>{verdictWords(state, t)}.</strong> {reason}
      </dd>
    </>
  );
}
