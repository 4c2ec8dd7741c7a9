import { useState } from "react";
import { useLocation } from "wouter";
import { AccountMenu } from "@/app/AccountMenu";
import { openCommands, openKeys } from "@/app/overlays";
import { EditableTitle } from "@/features/notebooks/components/EditableTitle";
import { ExportMenu } from "@/features/notebooks/components/ExportMenu";
import { NotebookSettings } from "@/features/notebooks/components/NotebookSettings";
import type { Notebook } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { findAddress, HOME } from "@/shared/lib/addresses";
import { IconButton } from "@/shared/ui/IconButton";
import styles from "@/app/workspace/WorkspaceHeader.module.css";

/** Back to all notebooks, the title, and what belongs to the whole page. */
export function WorkspaceHeader({ notebook }: { notebook: Notebook }) {
  const t = useT();
  const [, go] = useLocation();
  const [isOpened, setOpened] = useState(false);
  return (
    <header className={styles.header}>
      <IconButton icon="arrowLeft" label={t("nav.back_home")} onClick={() => go(HOME)} />
      <EditableTitle notebook={notebook} />
      <div className={styles.end}>
        {notebook.role === "owner" ? <IconButton icon="settings" label={t("book.title")} onClick={() => setOpened(true)} /> : null}
        {notebook.source_counts.total > 0 ? <IconButton icon="search" label={t("find.inNotebook")} onClick={() => go(findAddress(notebook.id))} /> : null}
        <span className={styles.wide}>
          {notebook.source_counts.total > 0 && notebook.role !== "chat_only" ? <ExportMenu notebookId={notebook.id} /> : null}
          <IconButton icon="list" label={t("nav.commands")} onClick={openCommands} />
          <IconButton icon="help" label={t("nav.keys")} keys="?" onClick={openKeys} />
        </span>
        <AccountMenu />
      </div>
      {isOpened ? <NotebookSettings notebook={notebook} onClose={() => setOpened(false)} /> : null}
    </header>
  );
}
