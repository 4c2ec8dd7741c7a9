import { useState } from "react";
import { MakeTest } from "@/features/misses/components/MakeTest";
import { MissRow } from "@/features/misses/components/MissRow";
import { useMisses } from "@/shared/api/queries";
import type { Miss, MissState } from "@/shared/api/types";
import { useT, type Key } from "@/shared/i18n/i18n";
import { Choice } from "@/shared/ui/Choice";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/misses/components/Misses.module.css";

const EMPTY: Record<MissState, Key> = { open: "misses.emptyOpen", solved: "misses.emptySolved", question: "misses.emptyQuestion" };

/** The questions without an answer, grouped, the newest wording first. */
export function Misses({ notebookId, onAdd }: { notebookId: string; onAdd: () => void }) {
  const t = useT();
  const [state, setState] = useState<MissState>("open");
  const [making, setMaking] = useState<Miss | null>(null);
  const misses = useMisses(notebookId, state);
  return (
    <div className={styles.part}>
      <Choice
        inline
        legend={t("misses.show")}
        name="misses-state"
        value={state}
        options={[
          { value: "open", label: t("misses.open") },
          { value: "question", label: t("misses.asTests") },
          { value: "solved", label: t("misses.solved") },
        ]}
        onChange={setState}
      />
      {misses.isError ? <Trouble error={misses.error} onRetry={() => void misses.refetch()} /> : null}
      {misses.data?.length === 0 ? (
        <p className={styles.empty} data-testid="misses-empty">
          {t(EMPTY[state])}
        </p>
      ) : null}
      {misses.data && misses.data.length > 0 ? (
        <ul className={styles.list} data-testid="misses">
          {misses.data.map((miss) => (
            <MissRow key={miss.key} notebookId={notebookId} miss={miss} onAdd={onAdd} onMake={() => setMaking(miss)} />
          ))}
        </ul>
      ) : null}
      {making ? <MakeTest notebookId={notebookId} miss={making} onClose={() => setMaking(null)} /> : null}
    </div>
  );
}
