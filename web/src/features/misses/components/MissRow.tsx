import { useRef } from "react";
import { useLocation } from "wouter";
import { turnOf, useSettleMiss } from "@/features/misses/api";
import { reasonWords } from "@/features/misses/lib/words";
import { useHolderKind } from "@/shared/api/holder";
import type { Miss } from "@/shared/api/types";
import { ago, useT } from "@/shared/i18n/i18n";
import { workspaceAddress } from "@/shared/lib/addresses";
import { focusAfterRemoval } from "@/shared/lib/focus";
import { Button } from "@/shared/ui/Button";
import { toastFailure } from "@/shared/ui/failed";
import styles from "@/features/misses/components/Misses.module.css";

interface MissRowProps {
  notebookId: string;
  miss: Miss;
  onAdd: () => void;
  onMake: () => void;
}

/** One question in its newest wording: how often, by how many, why, and what to do about it. */
export function MissRow({ notebookId, miss, onAdd, onMake }: MissRowProps) {
  const t = useT();
  const [, go] = useLocation();
  const settle = useSettleMiss(notebookId);
  const row = useRef<HTMLLIElement>(null);
  // A try of an assistant stands in no notebook that could be opened.
  const turnId = useHolderKind() === "notebooks" ? miss.turn_id : null;
  const open = (id: string): void => {
    turnOf(id).then((turn) => go(`${workspaceAddress(notebookId, turn.conversation_id)}?turn_at=${id}`), toastFailure);
  };
  const change = (state: "open" | "solved"): void => {
    focusAfterRemoval(row.current);
    settle.mutate({ miss, state });
  };
  return (
    <li ref={row} className={styles.row} data-testid="miss">
      <div className={styles.what}>
        <p className={styles.question} dir="auto">
          {miss.question}
        </p>
        <p className={styles.meta}>
          <span>
            {t("misses.asked", { n: miss.count })}
            {miss.people > 1 ? ` ${t("misses.byPeople", { n: miss.people })}` : ""}
          </span>
          <span>{ago(miss.last_at)}</span>
          {reasonWords(miss).map((words) => (
            <span key={words}>{words}</span>
          ))}
        </p>
        {miss.examples.length > 0 ? (
          <p className={styles.others} dir="auto">
            {t("misses.also")} {miss.examples.map((wording) => `“${wording}”`).join(" · ")}
          </p>
        ) : null}
        {turnId ? (
          <Button look="link" small onClick={() => open(turnId)}>
            {t("misses.toTurn")}
          </Button>
        ) : null}
      </div>
      <div className={styles.ways}>
        {miss.state === "open" ? (
          <>
            <Button small onClick={onAdd} aria-label={t("misses.addFor", { question: miss.question })}>
              {t("misses.add")}
            </Button>
            <Button small onClick={onMake} aria-label={t("misses.makeFor", { question: miss.question })}>
              {t("misses.make")}
            </Button>
            <Button small look="quiet" icon="check" disabled={settle.isPending} onClick={() => change("solved")} aria-label={t("misses.solveFor", { question: miss.question })}>
              {t("misses.solve")}
            </Button>
          </>
        ) : (
          <Button small look="quiet" icon="undo" disabled={settle.isPending} onClick={() => change("open")} aria-label={t("misses.reopenFor", { question: miss.question })}>
            {t("misses.reopen")}
          </Button>
        )}
      </div>
    </li>
  );
}
