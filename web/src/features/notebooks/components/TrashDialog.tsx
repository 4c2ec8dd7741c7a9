import { useState } from "react";
import { useDeleteForGood, useRestore, useTrash } from "@/features/notebooks/api";
import type { TrashItem } from "@/shared/api/types";
import { date, useT, type Key } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { Icon, type IconName } from "@/shared/ui/Icon";
import { Note } from "@/shared/ui/Note";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/notebooks/components/TrashDialog.module.css";

const KINDS: Record<TrashItem["kind"], [IconName, Key]> = {
  note: ["note", "trash.kind.note"],
  assistant: ["chat", "trash.kind.assistant"],
  notebook: ["book", "trash.kind.notebook"],
  source: ["file", "trash.kind.source"],
  conversation: ["chat", "trash.kind.conversation"],
};

/** What was deleted in the last 14 days: back, or gone for good after a second question. */
export function TrashDialog({ onClose }: { onClose: () => void }) {
  const t = useT();
  const trash = useTrash(true);
  return (
    <Dialog open onClose={onClose} title={t("trash.title")} size="large" testId="trash">
      <p className={styles.lead}>{t("trash.lead")}</p>
      {trash.isError ? <Trouble error={trash.error} onRetry={() => void trash.refetch()} /> : null}
      {trash.data?.length === 0 ? <p className={styles.empty}>{t("trash.empty")}</p> : null}
      <ul>
        {trash.data?.map((item) => (
          <Row key={item.id} item={item} />
        ))}
      </ul>
    </Dialog>
  );
}

function Row({ item }: { item: TrashItem }) {
  const t = useT();
  const restore = useRestore();
  const forGood = useDeleteForGood();
  const [asking, setAsking] = useState(false);
  const [icon, kind] = KINDS[item.kind];
  return (
    <li className={styles.row}>
      <Icon name={icon} />
      <div className={styles.what}>
        <p className={styles.title} dir="auto">
          {item.title}
        </p>
        <p className={styles.meta}>
          {t(kind)} · {t("trash.until", { date: date(item.purge_at) })}
        </p>
        {asking ? (
          <div className={styles.sure}>
            <Note tone="error" icon="warning">
              {t("trash.sure", { title: item.title })}
            </Note>
          </div>
        ) : null}
      </div>
      <div className={styles.ways}>
        {asking ? (
          <>
            <Button small onClick={() => setAsking(false)}>
              {t("ui.cancel")}
            </Button>
            <Button small look="danger" disabled={forGood.isPending} onClick={() => forGood.mutate(item)}>
              {t("trash.delete")}
            </Button>
          </>
        ) : (
          <>
            <Button small aria-label={t("trash.restore_one", { title: item.title })} disabled={restore.isPending} onClick={() => restore.mutate(item)}>
              {t("trash.restore")}
            </Button>
            <Button small look="quiet" aria-label={t("trash.delete_one", { title: item.title })} onClick={() => setAsking(true)}>
              {t("trash.delete")}
            </Button>
          </>
        )}
      </div>
    </li>
  );
}
