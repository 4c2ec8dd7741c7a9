import type { Side } from "@/app/workspace/layout";
import { useT } from "@/shared/i18n/i18n";
import { IconButton } from "@/shared/ui/IconButton";
import styles from "@/app/workspace/Rail.module.css";

/** A column folded to 56 px: what it is, and the way back. */
export function Rail({ side, onShow, onAdd }: { side: Side; onShow: () => void; onAdd?: (() => void) | undefined }) {
  const t = useT();
  return (
    <aside id={`column-${side}`} tabIndex={-1} aria-label={t(`work.${side}`)} className={styles.rail} data-side={side}>
      <IconButton icon={side === "sources" ? "panelLeft" : "panelRight"} label={t(`work.show_${side}`)} onClick={onShow} />
      {onAdd ? <IconButton icon="add" label={t("sources.add")} keys="a" onClick={onAdd} /> : null}
    </aside>
  );
}
