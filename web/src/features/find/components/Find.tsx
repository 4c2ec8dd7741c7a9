import { useRef } from "react";
import { useSearch } from "wouter";
import { useFound } from "@/features/find/api";
import { FindField } from "@/features/find/components/FindField";
import { FindNotes } from "@/features/find/components/FindNotes";
import { Nothing } from "@/features/find/components/Nothing";
import { Refusal } from "@/features/find/components/Refusal";
import { Results } from "@/features/find/components/Results";
import { useFindPlace } from "@/features/find/lib/useFindPlace";
import { useRows } from "@/features/find/lib/useRows";
import { useNotebook } from "@/shared/api/queries";
import { useT } from "@/shared/i18n/i18n";
import { Choice } from "@/shared/ui/Choice";
import styles from "@/features/find/components/Find.module.css";

/** The search without an answer: the passages themselves, in one notebook or in all of mine. */
export function Find() {
  const t = useT();
  const search = useSearch();
  const finding = useFindPlace();
  const { words, notebookId, isAll } = finding.place;
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const within = isAll ? null : notebookId;
  const query = useFound(within, words);
  const items = query.data?.items;
  const isFresh = items !== undefined && !query.isPlaceholderData;
  const rows = useRows(list, field, search, isFresh && words !== "");
  return (
    <div className={styles.find} data-testid="find">
      <FindField field={field} finding={finding} onDown={() => rows.step(1)} />
      {notebookId ? <Where notebookId={notebookId} isAll={isAll} onAll={finding.setAll} /> : null}
      {words === "" ? (
        <Hint />
      ) : (
        <>
          <FindNotes notebookId={within} words={words} degraded={query.data?.degraded ?? []} />
          {query.isError ? <Refusal key={query.errorUpdatedAt} error={query.error} at={query.errorUpdatedAt} onRetry={() => void query.refetch()} /> : null}
          {items && items.length > 0 ? <Results list={list} items={items} within={within} isBusy={query.isFetching} onOpen={rows.opened} /> : null}
          {items?.length === 0 && isFresh ? <Nothing words={words} canWiden={within !== null} onWiden={() => finding.setAll(true)} /> : null}
          {query.isPending ? (
            <p className={styles.quiet} role="status">
              {t("find.busy")}
            </p>
          ) : null}
        </>
      )}
    </div>
  );
}

function Where({ notebookId, isAll, onAll }: { notebookId: string; isAll: boolean; onAll: (isAll: boolean) => void }) {
  const t = useT();
  const notebook = useNotebook(notebookId);
  return (
    <Choice
      inline
      legend={t("find.where")}
      name="find-where"
      value={isAll ? "all" : "here"}
      options={[
        { value: "here", label: notebook.data?.title || t("find.here") },
        { value: "all", label: t("find.all") },
      ]}
      onChange={(value) => onAll(value === "all")}
    />
  );
}

/** How to ask, before anything is typed. */
function Hint() {
  const t = useT();
  return (
    <dl className={styles.hints} data-testid="find-hints">
      <dt>{t("find.hintPlain")}</dt>
      <dd>{t("find.hintPlainMore")}</dd>
      <dt>
        <code>{t("find.hintPhrase")}</code>
      </dt>
      <dd>{t("find.hintPhraseMore")}</dd>
      <dt>
        <code>{t("find.hintPrefix")}</code>
      </dt>
      <dd>{t("find.hintPrefixMore")}</dd>
    </dl>
  );
}
