import { useLocation } from "wouter";
import { AccountMenu } from "@/app/AccountMenu";
import { openCommands, openKeys } from "@/app/overlays";
import { EditableTitle } from "@/features/notebooks/components/EditableTitle";
import type { Notebook } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { HOME } from "@/shared/lib/addresses";
import { IconButton } from "@/shared/ui/IconButton";
import styles from "@/app/workspace/WorkspaceHeader.module.css";

/** Back to all notebooks, the title, and what belongs to the whole page. */
export function WorkspaceHeader({ notebook }: { notebook: Notebook }) {
  const t = useT();
  const [, go] = useLocation();
  return (
    <header className={styles.header}>
      <IconButton icon="arrowLeft" label={t("nav.back_home")} onClick={() => go(HOME)} />
      <EditableTitle notebook={notebook} />
      <div className={styles.end}>
        <span className={styles.wide}>
          <IconButton icon="search" label={t("nav.commands")} onClick={openCommands} />
          <IconButton icon="help" label={t("nav.keys")} keys="?" onClick={openKeys} />
        </span>
        <AccountMenu />
      </div>
    </header>
  );
}
