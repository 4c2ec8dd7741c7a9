import { useEffect, useLayoutEffect, useRef, type KeyboardEvent, type RefObject } from "react";
import { codePointLength } from "@/shared/lib/codepoints";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Icon } from "@/shared/ui/Icon";
import type { Draft } from "../lib/useDraft";
import styles from "./Composer.module.css";

/** The gateway's limit of a question, in code points. */
const LONGEST = 4000;

export interface ComposerProps {
  box: RefObject<HTMLTextAreaElement | null>;
  draft: Draft;
  placeholder: string;
  /** Why nothing can be asked now; stands in the box's place. */
  reason: string | null;
  isRunning: boolean;
  isStopping: boolean;
  onAsk: (question: string) => void;
  onStop: () => void;
  /** ↑ in the empty box. */
  onEditLast: () => void;
  /** What happened to the last question, if it was not taken. */
  children?: React.ReactNode;
}

/** The box: Enter asks, Shift+Enter breaks the line, an open IME composition never sends. */
export function Composer({ box, draft, placeholder, reason, isRunning, isStopping, onAsk, onStop, onEditLast, children }: ComposerProps) {
  const t = useT();
  const over = codePointLength(draft.text) - LONGEST;
  const canAsk = draft.text.trim() !== "" && over <= 0 && reason === null;
  const send = (): void => {
    if (!canAsk || isRunning) return;
    onAsk(draft.text.trim());
    box.current?.focus();
  };
  const isSafeEnter = useSafeEnter();
  const press = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key === "Enter" && !event.shiftKey && isSafeEnter(event)) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape" && !event.nativeEvent.isComposing) {
      if (draft.replaces) draft.cancelEdit();
      else if (isRunning) onStop();
    } else if (event.key === "ArrowUp" && draft.text === "") {
      event.preventDefault();
      onEditLast();
    }
  };
  useGrowing(box, draft.text);
  return (
    <div className={styles.foot}>
      {children}
      {draft.replaces ? <p className={styles.line}>{t("chat.editing")}</p> : null}
      <form
        className={styles.box}
        data-disabled={reason !== null || undefined}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        {reason !== null ? (
          <p className={styles.reason} id="composer-reason" data-testid="composer-reason">
            {reason}
          </p>
        ) : (
          <textarea
            ref={box}
            rows={1}
            className={styles.text}
            dir="auto"
            value={draft.text}
            placeholder={placeholder}
            aria-label={t("chat.question")}
            aria-invalid={over > 0 || undefined}
            data-testid="composer"
            onChange={(event) => draft.write(event.target.value)}
            onKeyDown={press}
          />
        )}
        {isRunning ? (
          <Button className={styles.send} onClick={onStop} disabled={isStopping} data-testid="stop">
            <Icon name="stop" />
            {t("chat.stop")}
          </Button>
        ) : (
          <Button className={styles.send} look="primary" type="submit" disabled={!canAsk} data-testid="ask">
            <Icon name="send" />
            {t("chat.ask")}
          </Button>
        )}
      </form>
      {over > 0 ? (
        <p className={styles.over} role="alert">
          {t("chat.tooLong", { n: over })}
        </p>
      ) : null}
    </div>
  );
}

/** Whether an Enter means "send": not the one that ends a composition. Safari tells of that one only after it ended. */
function useSafeEnter(): (event: KeyboardEvent) => boolean {
  const endedAt = useRef(0);
  useEffect(() => {
    const ended = (): void => {
      endedAt.current = performance.now();
    };
    document.addEventListener("compositionend", ended);
    return () => document.removeEventListener("compositionend", ended);
  }, []);
  return (event) => !event.nativeEvent.isComposing && event.keyCode !== 229 && performance.now() - endedAt.current > 30;
}

/** The box is as high as its text, up to a third of the window. */
function useGrowing(box: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    if (box.current) fit(box.current);
  }, [box, text]);
}

function fit(area: HTMLTextAreaElement): void {
  area.style.height = "auto";
  area.style.height = `${Math.min(area.scrollHeight, Math.max(120, innerHeight / 3))}px`;
}
