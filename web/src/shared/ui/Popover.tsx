import { useEffect, useLayoutEffect, useRef, type ReactNode, type RefObject } from "react";
import { usePlacement, type Placement } from "@/shared/ui/placement";
import styles from "@/shared/ui/Popover.module.css";

export interface PopoverProps extends Placement {
  anchor: RefObject<HTMLElement | null>;
  open: boolean;
  onClose: () => void;
  label: string;
  className?: string;
  children: ReactNode;
}

/** A floating, non-modal box with a name; a press outside or Esc closes it and focus goes back to the anchor. */
export function Popover({ open, ...rest }: PopoverProps) {
  return open ? <Opened {...rest} /> : null;
}

function Opened({ anchor, onClose, label, className, children, ...placement }: Omit<PopoverProps, "open">) {
  const float = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => float.current?.showPopover?.(), []); // shown before it is measured
  usePlacement(anchor, float, true, placement);
  useEffect(() => {
    const press = (event: PointerEvent): void => {
      const target = event.target as Node;
      if (!float.current?.contains(target) && !anchor.current?.contains(target)) onClose();
    };
    document.addEventListener("pointerdown", press, true);
    return () => document.removeEventListener("pointerdown", press, true);
  }, [anchor, onClose]);
  return (
    <div
      ref={float}
      popover="manual"
      role="dialog"
      aria-label={label}
      className={[styles.popover, className ?? ""].join(" ")}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
        anchor.current?.focus();
      }}
    >
      {children}
    </div>
  );
}
