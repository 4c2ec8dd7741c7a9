import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { IconButton } from "@/shared/ui/IconButton";
import { currentToast, dismissToast, subscribeToast } from "@/shared/ui/toast";
import styles from "@/shared/ui/Toaster.module.css";

const STAYS_MS = 8000; // long enough to read and to reach Undo; never while pointer or focus is on it

/** The place where toasts are shown and read out. */
export function Toaster() {
  const t = useT();
  const current = useSyncExternalStore(subscribeToast, currentToast);
  const [held, setHeld] = useState(false);
  const float = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!current || held) return;
    const timer = setTimeout(dismissToast, STAYS_MS);
    return () => clearTimeout(timer);
  }, [current, held]);
  useEffect(() => {
    if (current) float.current?.showPopover?.(); // the top layer, above an open dialog
  }, [current]);
  const close = (): void => {
    setHeld(false);
    dismissToast();
  };
  return (
    <div role={current?.tone === "error" ? "alert" : "status"} aria-live={current?.tone === "error" ? "assertive" : "polite"}>
      {current ? (
        <div
          key={current.id}
          ref={float}
          popover="manual"
          data-testid="toast"
          className={[styles.toast, current.tone === "error" ? styles.error : ""].join(" ")}
          onPointerEnter={() => setHeld(true)}
          onPointerLeave={() => setHeld(false)}
          onFocus={() => setHeld(true)}
          onBlur={() => setHeld(false)}
        >
          <span className={styles.text}>{current.text}</span>
          {current.action ? (
            <Button
              look="quiet"
              small
              className={styles.action}
              onClick={() => {
                current.action?.run();
                close();
              }}
            >
              {current.action.label}
            </Button>
          ) : null}
          <IconButton icon="close" small label={t("ui.close")} className={styles.close} onClick={close} />
        </div>
      ) : null}
    </div>
  );
}
