import { useEffect, type KeyboardEvent } from "react";
import { useT } from "@/shared/i18n/i18n";
import { NARROW } from "@/shared/lib/media";
import { isFocusQuiet, leaveCard, openCard, renewCard, useIsCardOf, type Via } from "../lib/card";
import { markKey, placeMark } from "../lib/marks";
import { useAnswer } from "../lib/scope";
import { isDoubtful } from "../lib/statements";
import { verdictWords } from "../lib/verdict";
import { VerdictIcon } from "./VerdictIcon";
import styles from "./Mark.module.css";

/** The number behind a statement: says its verdict, opens its card, leads to the passage. */
export function Mark({ n, at }: { n: number; at: number }) {
  const t = useT();
  const scope = useAnswer();
  const key = markKey(at, n);
  const isOpen = useIsCardOf(scope.turnKey, key);
  useEffect(() => {
    if (isOpen) renewCard(scope);
  }, [isOpen, scope]);
  const placed = placeMark({ key, n, at }, scope.citations, scope.statements, scope.isChecked);
  if (!placed) return <Unnamed n={n} isChecked={scope.isChecked} />;
  const { state } = placed;
  const show = (anchor: HTMLElement, via: Via): void => openCard({ scope, key, n, at, anchor, via });
  const enter = (event: KeyboardEvent<HTMLButtonElement>): void => {
    if (event.key !== "ArrowDown" || !isOpen) return;
    event.preventDefault();
    document.querySelector<HTMLElement>("[data-testid=citation-card] button")?.focus();
  };
  return (
    <button
      type="button"
      className={[styles.mark, styles[state]].join(" ")}
      data-testid="mark"
      data-mark={key}
      data-verdict={state}
      data-doubt={isDoubtful(state) ? "" : undefined}
      aria-label={t("mark.name", { n, verdict: lowerFirst(verdictWords(state, t)) })}
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      onPointerEnter={(event) => event.pointerType === "mouse" && show(event.currentTarget, "pointer")}
      onPointerLeave={(event) => event.pointerType === "mouse" && leaveCard()}
      onFocus={(event) => !isFocusQuiet() && event.currentTarget.matches(":focus-visible") && show(event.currentTarget, "focus")}
      onBlur={leaveCard}
      onKeyDown={enter}
      onClick={(event) => {
        if (matchMedia(NARROW).matches || state === "removed") show(event.currentTarget, "press");
        else scope.open(event.currentTarget);
      }}
    >
      <span className={styles.chip}>
        <VerdictIcon state={state} size={12} />
        {n}
      </span>
    </button>
  );
}

/** A number that names no source: neutral while its citation may still come, struck through after. */
function Unnamed({ n, isChecked }: { n: number; isChecked: boolean }) {
  const t = useT();
  return (
    <span className={[styles.mark, styles[isChecked ? "unknown" : "streaming"]].join(" ")} title={isChecked ? t("verdict.unknown") : undefined}>
      <span className={styles.chip}>{n}</span>
    </span>
  );
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
