import { useRef, useState } from "react";
import { DetailsDialog } from "@/features/sources/components/DetailsDialog";
import { FailedRemedy } from "@/features/sources/components/FailedRemedy";
import { ReportDialog } from "@/features/sources/components/ReportDialog";
import { RereadDialog } from "@/features/sources/components/RereadDialog";
import { SourceMenu, type SourceDialog } from "@/features/sources/components/SourceMenu";
import { SourceStatus } from "@/features/sources/components/SourceStatus";
import type { Notebook, Source } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { useScope } from "@/shared/lib/scope";
import styles from "@/features/sources/components/SourceRow.module.css";

/** Where the row stands in a list of which only a window exists. */
export interface RowPlace {
  index: number;
  of: number;
  measure: (element: Element | null) => void;
}

export interface RowProps {
  source: Source;
  notebook: Notebook;
  isOpen: boolean;
  canEdit: boolean;
  onOpen: (sourceId: string) => void;
  place?: RowPlace | undefined;
}

/** State 5: tick, title, what is so with it, its menu. A failed one says why and the one thing that helps. */
export function SourceRow({ source, notebook, isOpen, canEdit, onOpen, place }: RowProps) {
  const t = useT();
  const scope = useScope(notebook.id);
  const [dialog, setDialog] = useState<SourceDialog | null>(null);
  const item = useRef<HTMLLIElement>(null);
  const isFailed = source.status === "failed";
  const isRead = source.searchable !== "none" && !isFailed;
  const isOut = source.grant === "paused";
  const isUsed = !isFailed && !isOut && !scope.leftOut.has(source.id);
  const press = (): void => (isRead ? onOpen(source.id) : setDialog("report"));
  const state = [styles.row, isOpen ? styles.open : "", isOut ? styles.out : ""].join(" ");
  return (
    <li
      ref={(element) => {
        item.current = element;
        place?.measure(element);
      }}
      className={state}
      data-index={place?.index}
      aria-setsize={place?.of}
      aria-posinset={place ? place.index + 1 : undefined}
      data-testid={isFailed ? "source-error" : "source-row"}
      data-source={source.id}
      data-status={source.status}
    >
      <span className={styles.tick}>
        {isFailed ? null : (
          <input
            type="checkbox"
            checked={isUsed}
            disabled={isOut}
            data-row-focus={isOut ? undefined : true}
            aria-label={t("sources.use_one", { title: source.title })}
            onChange={() => scope.setUsed([source.id], !isUsed)}
          />
        )}
      </span>
      <div className={styles.body}>
        <button type="button" className={styles.title} dir="auto" title={source.title} data-row-focus={isFailed || isOut ? true : undefined} onClick={press}>
          {source.title}
        </button>
        <SourceStatus source={source} onReport={() => setDialog("report")} />
        {canEdit ? <FailedRemedy source={source} notebookId={notebook.id} onDetails={() => setDialog("report")} /> : null}
      </div>
      <span className={styles.menu}>
        <SourceMenu source={source} notebook={notebook} canEdit={canEdit} item={item} onOpen={onOpen} onDialog={setDialog} />
      </span>
      {dialog === "report" ? <ReportDialog source={source} notebookId={notebook.id} canEdit={canEdit} onClose={() => setDialog(null)} /> : null}
      {dialog === "reread" ? <RereadDialog source={source} notebookId={notebook.id} onClose={() => setDialog(null)} /> : null}
      {dialog === "details" ? <DetailsDialog source={source} notebookId={notebook.id} onClose={() => setDialog(null)} /> : null}
    </li>
  );
}
