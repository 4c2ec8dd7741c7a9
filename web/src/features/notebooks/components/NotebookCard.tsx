import { useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { useTrashNotebook } from "@/features/notebooks/api";
import { exportItems } from "@/features/notebooks/components/ExportMenu";
import { NotebookSettings } from "@/features/notebooks/components/NotebookSettings";
import { RenameDialog } from "@/features/notebooks/components/RenameDialog";
import { ago, useT } from "@/shared/i18n/i18n";
import type { Notebook } from "@/shared/api/types";
import { questionsAddress, workspaceAddress } from "@/shared/lib/addresses";
import { focusAfterRemoval } from "@/shared/lib/focus";
import { Menu } from "@/shared/ui/Menu";
import styles from "@/features/notebooks/components/NotebookCard.module.css";

/** A card: title, what it holds, when it was asked last; the whole card is the link. */
export function NotebookCard({ notebook }: { notebook: Notebook }) {
  const t = useT();
  const [, go] = useLocation();
  const trash = useTrashNotebook();
  const [renaming, setRenaming] = useState(false);
  const [isOpened, setOpened] = useState(false);
  const card = useRef<HTMLLIElement>(null);
  const { total, working, failed } = notebook.source_counts;
  const isOwner = notebook.role === "owner";
  const rename = { label: t("home.rename"), icon: "edit" as const, run: () => setRenaming(true) };
  const settings = { label: t("book.settings"), icon: "settings" as const, run: () => setOpened(true) };
  const questions = { label: t("misses.title"), icon: "help" as const, run: () => go(questionsAddress(notebook.id)) };
  const toTrash = {
    label: t("home.to_trash"),
    icon: "trash" as const,
    danger: true,
    run: () => {
      focusAfterRemoval(card.current);
      trash.mutate(notebook);
    },
  };
  return (
    <li ref={card} className={styles.card} data-testid="notebook-card">
      <div className={styles.top}>
        <h2 className={styles.title}>
          <Link href={workspaceAddress(notebook.id)} className={styles.link} dir="auto">
            {notebook.title || t("home.untitled")}
          </Link>
        </h2>
        {isOwner ? (
          <div className={styles.menu}>
            <Menu small label={t("home.actions", { title: notebook.title })} items={[rename, settings, questions, "line", ...exportItems(notebook.id, t), "line", toTrash]} />
          </div>
        ) : null}
      </div>
      <p className={styles.counts}>
        {t("home.sources", { n: total })}
        {working > 0 ? <span> · {t("home.working", { n: working })}</span> : null}
        {failed > 0 ? <span className={styles.failed}> · {t("home.failed", { n: failed })}</span> : null}
      </p>
      <p className={styles.foot}>
        <span>
          {notebook.last_asked_at ? t("home.asked", { when: ago(notebook.last_asked_at) }) : t("home.made", { when: ago(notebook.created_at) })}
        </span>
        {notebook.is_sample ? <span className={styles.chip}>{t("home.is_sample")}</span> : null}
        {notebook.local_only ? <span className={styles.chip}>{t("home.local_only")}</span> : null}
      </p>
      {renaming ? <RenameDialog notebook={notebook} onClose={() => setRenaming(false)} /> : null}
      {isOpened ? <NotebookSettings notebook={notebook} onClose={() => setOpened(false)} /> : null}
    </li>
  );
}
