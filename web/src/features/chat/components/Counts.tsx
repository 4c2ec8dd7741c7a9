import { lazy, Suspense, useId, useState } from "react";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Icon } from "@/shared/ui/Icon";
import { jumpToNextDoubt } from "../lib/jump";
import type { ChatTurn } from "../lib/request";
import { Legend } from "./Legend";
import styles from "./Turn.module.css";

const AskEach = lazy(() => import("../each/AskEach"));

/** How many statements were found, what to check, how many sources it drew on, and what the marks mean. */
export function Counts({ turn, turnKey, sources }: { turn: ChatTurn; turnKey: string; sources: number }) {
  const t = useT();
  const legend = useId();
  const [isOpen, setOpen] = useState(false);
  const { checks } = turn;
  const numbers = checks?.ungrounded_numbers ?? [];
  // Where a profile hides its sources there are no statements to tell of, only numbers to be warned about.
  if (!checks || checks.total === 0 || checks.statements.length === 0) return numbers.length > 0 ? <Numbers numbers={numbers} /> : null;
  const toCheck = checks.total - checks.found;
  return (
    <>
      <p className={styles.counts}>
        <strong>{t("answer.summary", { found: checks.found, total: checks.total })}</strong>
        {toCheck > 0 ? (
          <Button look="link" small onClick={() => jumpToNextDoubt(turnKey)} title={t("answer.nextToCheck")} data-testid="to-check">
            {t("answer.toCheck", { n: toCheck })}
          </Button>
        ) : null}
        <Drew turn={turn} sources={sources} />
        <Button look="link" small aria-expanded={isOpen} aria-controls={legend} onClick={() => setOpen(!isOpen)} data-testid="marks-meaning">
          {t("marks.title")}
        </Button>
      </p>
      {isOpen ? <Legend id={legend} /> : null}
    </>
  );
}

/** M28: how many of the sources it drew on, and the way to ask each of them alone. */
function Drew({ turn, sources }: { turn: ChatTurn; sources: number }) {
  const t = useT();
  const [isAsking, setAsking] = useState(false);
  const used = turn.drew_on ?? new Set(turn.citations.map((citation) => citation.source_id)).size;
  if (used === 0) return null;
  const all = Math.max(used, turn.asked_of ?? sources);
  return (
    <>
      <span data-testid="drew-on">{t("answer.drew", { used, n: all })}</span>
      {all > 1 && used < all ? (
        <Button look="link" small onClick={() => setAsking(true)} data-testid="ask-each">
          {t("answer.askEach", { n: all })}
        </Button>
      ) : null}
      <Suspense>{isAsking ? <AskEach turn={turn} onClose={() => setAsking(false)} /> : null}</Suspense>
    </>
  );
}

/** Numbers that no passage holds: all that is said of an answer whose sources are not shown. */
function Numbers({ numbers }: { numbers: readonly string[] }) {
  const t = useT();
  return (
    <p className={styles.numbers} data-testid="numbers-warning">
      <Icon name="warning" size={16} />
      {t("answer.numbersWarn", { n: numbers.length, numbers: numbers.join(", ") })}
    </p>
  );
}
