import { useGrant, type AssistantSource } from "@/features/assistants/api";
import { useT, type Key } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import styles from "@/features/assistants/components/Assistants.module.css";

interface ChosenProps {
  assistantId: string;
  /** Those that the list shows, and those of them that are chosen. */
  shown: readonly AssistantSource[];
  chosen: readonly AssistantSource[];
  states: readonly [AssistantSource["state"], Key][];
  onChoose: (ids: readonly string[]) => void;
  /** Says what they are; null where that is nobody's business here. */
  onTell: (() => void) | null;
}

/** Several sources at once: choose all that are shown, then give, pause or take back. */
export function Chosen({ assistantId, shown, chosen, states, onChoose, onTell }: ChosenProps) {
  const t = useT();
  const grant = useGrant(assistantId);
  const isAll = chosen.length === shown.length;
  return (
    <div className={styles.chosen} role="group" aria-label={t("assistants.several")} data-testid="chosen">
      <label className={styles.switch}>
        <input
          type="checkbox"
          checked={isAll}
          ref={(box) => {
            if (box) box.indeterminate = chosen.length > 0 && !isAll;
          }}
          onChange={() => onChoose(isAll ? [] : shown.map((one) => one.id))}
        />
        <span>{chosen.length > 0 ? t("assistants.chosen", { n: chosen.length }) : t("assistants.chooseAll", { n: shown.length })}</span>
      </label>
      {chosen.length > 0 ? (
        <span className={styles.ways}>
          {states.map(([state, key]) => (
            <Button key={state} small disabled={grant.isPending || chosen.every((one) => one.state === state)} onClick={() => grant.mutate({ rows: chosen, state })}>
              {t(key)}
            </Button>
          ))}
          {onTell ? (
            <Button small onClick={onTell}>
              {t("assistants.metaTellAll", { n: chosen.length })}
            </Button>
          ) : null}
        </span>
      ) : null}
    </div>
  );
}
