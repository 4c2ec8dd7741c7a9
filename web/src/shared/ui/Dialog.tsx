import { useEffect, useId, useRef, type ReactNode } from "react";
import { useT } from "@/shared/i18n/i18n";
import { IconButton } from "@/shared/ui/IconButton";
import styles from "@/shared/ui/Dialog.module.css";

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** Buttons at the end, the primary one last. */
  actions?: ReactNode;
  size?: "small" | "medium" | "large" | "side" | "start";
  testId?: string;
  children: ReactNode;
}

/** The browser's own modal dialog: it traps focus, closes on Esc or a press on the backdrop, and gives focus back. */
export function Dialog({ open, ...rest }: DialogProps) {
  return open ? <Opened {...rest} /> : null;
}

function Opened({ onClose, title, actions, size = "medium", testId, children }: Omit<DialogProps, "open">) {
  const t = useT();
  const dialog = useRef<HTMLDialogElement>(null);
  const name = useId();
  useEffect(() => {
    const shown = dialog.current;
    const before = document.activeElement;
    if (shown && !shown.open) {
      shown.showModal?.();
      firstFocus(shown)?.focus();
    }
    return () => {
      shown?.close?.();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={[styles.dialog, styles[size]].join(" ")}
      aria-labelledby={name}
      data-testid={testId}
      onCancel={(event) => {
        if (event.target !== dialog.current) return; // a file chooser's cancel bubbles
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => event.target === dialog.current && onClose()}
    >
      <div className={styles.inside}>
        <header className={styles.head}>
          <h2 id={name}>{title}</h2>
          <IconButton icon="close" label={t("ui.close")} onClick={onClose} />
        </header>
        <div className={styles.body} data-dialog-body="" tabIndex={-1}>{children}</div>
        {actions ? <footer className={styles.actions}>{actions}</footer> : null}
      </div>
    </dialog>
  );
}

/** The field that asks for it, else the first control of the content: not the button that closes. */
function firstFocus(dialog: HTMLElement): HTMLElement | null {
  const wanted = dialog.querySelector<HTMLElement>("[data-autofocus]");
  const body = dialog.querySelector<HTMLElement>("[data-dialog-body]");
  return wanted ?? body?.querySelector<HTMLElement>(":is(input:not([type=file]), textarea, select, button, a[href]):not(:disabled, [tabindex='-1'])") ?? body;
}
