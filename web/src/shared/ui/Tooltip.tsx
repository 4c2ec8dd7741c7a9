import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { usePlacement } from "@/shared/ui/placement";
import styles from "@/shared/ui/Tooltip.module.css";

/** Shows the name of what it wraps on hover and on keyboard focus; the wrapped control carries the name itself. */
export function Tooltip({ text, keys, children }: { text: string; keys?: string | undefined; children: ReactNode }) {
  const anchor = useRef<HTMLSpanElement>(null);
  const float = useRef<HTMLSpanElement>(null);
  const [open, setOpen] = useState(false);
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  useLayoutEffect(() => {
    if (open) float.current?.showPopover?.(); // shown before it is measured
  }, [open]);
  usePlacement(anchor, float, open, { align: "center", gap: 6 });
  const show = (delay: number): void => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setOpen(true), delay);
  };
  const hide = (): void => {
    clearTimeout(timer.current);
    setOpen(false);
  };
  return (
    <span
      ref={anchor}
      className={styles.anchor}
      onPointerEnter={(event) => event.pointerType === "mouse" && show(450)}
      onPointerLeave={hide}
      onPointerDown={hide}
      onFocus={(event) => event.target.matches(":focus-visible") && show(0)}
      onBlur={hide}
      onKeyDown={(event) => event.key === "Escape" && hide()}
    >
      {children}
      {open ? (
        <span ref={float} popover="manual" className={styles.tip} aria-hidden="true">
          {text}
          {keys ? <kbd className={styles.keys}>{keys}</kbd> : null}
        </span>
      ) : null}
    </span>
  );
}
