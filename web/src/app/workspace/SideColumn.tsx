import type { ReactNode } from "react";
import type { Side } from "@/app/workspace/layout";
import { useT } from "@/shared/i18n/i18n";
import { IconButton } from "@/shared/ui/IconButton";
import styles from "@/app/workspace/SideColumn.module.css";

interface SideColumnProps {
  side: Side;
  hidden: boolean;
  onHide: (() => void) | undefined;
  /** The only column on the screen: then it is the main part of the page. */
  alone: boolean;
  /** The edge that changes its width. */
  edge: ReactNode;
  children: ReactNode;
}

/** A column at the side, with its name and the button that makes it a rail. */
export function SideColumn({ side, hidden, onHide, alone, edge, children }: SideColumnProps) {
  const t = useT();
  const name = t(`work.${side}`);
  const Part = alone ? "section" : "aside";
  return (
    <Part id={`column-${side}`} role={alone ? "main" : undefined} tabIndex={-1} aria-label={name} className={styles.column} data-side={side} data-hidden={hidden || undefined} inert={hidden}>
      <div className={styles.head}>
        <h2 className={styles.name}>{name}</h2>
        {onHide ? <IconButton small icon={side === "sources" ? "panelLeft" : "panelRight"} label={t(`work.hide_${side}`)} onClick={onHide} /> : null}
      </div>
      <div className={styles.body}>{children}</div>
      {edge}
    </Part>
  );
}
