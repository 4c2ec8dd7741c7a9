import type { Tab } from "@/app/workspace/layout";
import { useT } from "@/shared/i18n/i18n";
import { Icon, type IconName } from "@/shared/ui/Icon";
import styles from "@/app/workspace/BottomTabs.module.css";

const TABS: [Tab, IconName][] = [
  ["sources", "library"],
  ["chat", "chat"],
  ["studio", "studio"],
];

/** Below 760 px the columns are three tabs at the bottom. */
export function BottomTabs({ tab, onTab }: { tab: Tab; onTab: (tab: Tab) => void }) {
  const t = useT();
  return (
    <nav aria-label={t("nav.label")} className={styles.tabs}>
      {TABS.map(([name, icon]) => (
        <button key={name} type="button" className={styles.tab} aria-current={name === tab ? "true" : undefined} onClick={() => onTab(name)}>
          <Icon name={icon} />
          {t(`work.${name}`)}
        </button>
      ))}
    </nav>
  );
}
