import { useRef, type KeyboardEvent, type PointerEvent } from "react";
import { EDGE_MAX, EDGE_MIN, type Layout, type Side } from "@/app/workspace/layout";
import { useT } from "@/shared/i18n/i18n";
import styles from "@/app/workspace/Edge.module.css";

const STEP_PX = 16;

/** The edge of a side column: dragged, or moved with the arrow keys; double press gives back its first width. */
export function Edge({ side, layout }: { side: Side; layout: Layout }) {
  const t = useT();
  const start = useRef<{ x: number; width: number } | null>(null);
  const width = layout.widths[side];
  // Sources grows to the right, Studio to the left; mirrored where the page is.
  const sign = (side === "sources" ? 1 : -1) * (document.dir === "rtl" ? -1 : 1);
  const grab = (event: PointerEvent<HTMLDivElement>): void => {
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = { x: event.clientX, width };
  };
  const drag = (event: PointerEvent): void => {
    if (start.current) layout.setWidth(side, start.current.width + sign * (event.clientX - start.current.x));
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowRight: STEP_PX, ArrowLeft: -STEP_PX }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    layout.setWidth(side, width + sign * step);
  };
  return (
    <div
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t(side === "sources" ? "work.width_sources" : "work.width_studio")}
      aria-valuemin={EDGE_MIN}
      aria-valuemax={EDGE_MAX}
      aria-valuenow={width}
      className={styles.edge}
      data-side={side}
      onPointerDown={grab}
      onPointerMove={drag}
      onPointerUp={() => (start.current = null)}
      onPointerCancel={() => (start.current = null)}
      onDoubleClick={() => layout.setWidth(side, side === "sources" ? 296 : 328)}
      onKeyDown={press}
    />
  );
}
