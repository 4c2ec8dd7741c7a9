import { useState } from "react";
import type { Source } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import { ROUND } from "../lib/each";
import type { ChatTurn } from "../lib/request";
import { eachCost, useTurnCost } from "./cost";
import styles from "./AskEach.module.css";

interface ChoiceProps {
  turn: ChatTurn;
  sources: readonly Source[];
  /** Unticked in the list of sources: not asked unless ticked here. */
  leftOut: ReadonlySet<string>;
  onAsk: (sources: readonly Source[]) => void;
  onClose: () => void;
}

/** Before anything is asked: which sources, how many calls, about what cost. Nothing of it changes the list of sources. */
export function EachChoice({ turn, sources, leftOut, onAsk, onClose }: ChoiceProps) {
  const t = useT();
  const [ids, setIds] = useState<ReadonlySet<string>>(() => new Set(sources.filter((source) => !leftOut.has(source.id)).map((source) => source.id)));
  const isQuoted = (turn.degraded ?? []).includes("no_chat_model");
  const cost = useTurnCost(turn, !isQuoted);
  const chosen = sources.filter((source) => ids.has(source.id));
  const n = chosen.length;
  const set = (id: string, isIn: boolean): void => {
    const next = new Set(ids);
    if (isIn) next.add(id);
    else next.delete(id);
    setIds(next);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t("each.title")}
      size="large"
      testId="each-choice"
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button look="primary" disabled={n === 0} onClick={() => onAsk(chosen)} data-testid="each-ask">
            {t("each.ask", { n })}
          </Button>
        </>
      }
    >
      <p className={styles.question} dir="auto">
        {turn.question}
      </p>
      <div className={styles.ahead} role="status" data-testid="each-ahead">
        <p>{[t(isQuoted ? "each.aheadQuoted" : "each.ahead", { n }), n > ROUND ? t("each.rounds", { n: ROUND }) : ""].filter(Boolean).join(" ")}</p>
        {isQuoted || n === 0 || cost.isPending ? null : <p data-testid="each-cost">{eachCost(cost.data ?? null, n, t)}</p>}
      </div>
      <p className={styles.all}>
        <Button look="link" small disabled={n === sources.length} onClick={() => setIds(new Set(sources.map((source) => source.id)))}>
          {t("each.all")}
        </Button>
        <Button look="link" small disabled={n === 0} onClick={() => setIds(new Set())}>
          {t("each.none")}
        </Button>
      </p>
      <ul className={styles.choices} aria-label={t("each.which")}>
        {sources.map((source) => (
          <li key={source.id}>
            <label className={styles.choice}>
              <input type="checkbox" checked={ids.has(source.id)} onChange={(event) => set(source.id, event.target.checked)} />
              <span dir="auto">{source.title}</span>
            </label>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
