import type { ReactNode } from "react";
import { useT, type Key } from "@/shared/i18n/i18n";
import { Icon, type IconName } from "@/shared/ui/Icon";
import styles from "@/features/studio/components/Studio.module.css";

const KINDS: [Key, IconName][] = [
  ["studio.report", "text"],
  ["studio.table", "table"],
  ["studio.mindmap", "spark"],
  ["studio.timeline", "list"],
  ["studio.cards", "copy"],
  ["studio.quiz", "help"],
  ["studio.slides", "image"],
  ["studio.audio", "play"],
];

/** The documents that will be made from sources: named, quiet, and honest about what they need; below them what a person keeps. */
export function Studio({ hasSource, children }: { hasSource: boolean; children?: ReactNode }) {
  const t = useT();
  return (
    <div className={styles.studio}>
      <p className={styles.lead}>{t("studio.lead")}</p>
      <ul className={styles.tiles}>
        {KINDS.map(([name, icon]) => (
          <li key={name} className={styles.tile} data-testid="tile" aria-disabled="true">
            <Icon name={icon} />
            <span className={styles.name}>{t(name)}</span>
            {hasSource ? null : <span className={styles.needs}>{t("studio.needs_source")}</span>}
          </li>
        ))}
      </ul>
      <p className={styles.note}>{t("studio.later")}</p>
      {children}
    </div>
  );
}
