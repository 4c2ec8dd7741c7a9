import { useEffect, useRef } from "react";
import { useReindex, type Assistant } from "@/features/assistants/api";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Note } from "@/shared/ui/Note";
import { toast } from "@/shared/ui/toast";

/** After a change of purpose: its sources are indexed otherwise than it asks; they answer on until they are swapped. */
export function Recut({ row, canChange }: { row: Assistant; canChange: boolean }) {
  const t = useT();
  const reindex = useReindex(row.id);
  const was = useRef(row.reindexing);
  useEffect(() => {
    if (was.current && !row.wanted_recipe) toast(t("assistants.recutDone"));
    was.current = row.reindexing;
  }, [row.reindexing, row.wanted_recipe, t]);
  if (!row.wanted_recipe) return null;
  return (
    <div role="status" data-testid="recut">
      <Note icon="refresh">
        <p>{row.reindexing ? `${t("assistants.recutting")} ${row.stale > 0 ? t("assistants.recutLeft", { n: row.stale }) : ""}` : t("assistants.recut", { n: row.stale })}</p>
        {canChange && !row.reindexing ? (
          <p>
            <Button look="link" small disabled={reindex.isPending} onClick={() => reindex.mutate()}>
              {t("assistants.recutNow")}
            </Button>
          </p>
        ) : null}
      </Note>
    </div>
  );
}
