import { useState } from "react";
import type { Why, WhyCandidate } from "@/shared/api/types";
import { useT, type Key } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Icon } from "@/shared/ui/Icon";
import { DEGRADED } from "../lib/degraded";
import { measure, told } from "../lib/why";
import { Candidate } from "./Candidate";
import type { WhyPlace } from "./HowFound";
import { QuestionWords } from "./QuestionWords";
import styles from "./HowFound.module.css";

interface FoundProps {
  why: Why;
  place: WhyPlace;
}

const MODES: Record<string, Key> = { lexical: "how.onlyWords", vector: "how.onlyMeaning" };

/** What was searched, with which words, and what became of each passage that came up. */
export function Found({ why, place }: FoundProps) {
  const t = useT();
  const mode = why.degraded.includes("words_only") ? "how.onlyWords" : MODES[why.mode ?? ""];
  // Where nothing could be counted every word is without a number, as a word too common is.
  const isCounted = why.words.some(({ chunks }) => chunks !== null);
  const missing = why.degraded.flatMap((part) => DEGRADED[part] ?? []);
  return (
    <div className={styles.found}>
      <div>
        <p>
          {t("how.question")} <q dir="auto">{why.question}</q>
        </p>
        {why.scope ? <p className={styles.quiet}>{t(why.scope.chosen ? "how.scopeChosen" : "how.scope", { n: why.scope.sources, passages: t("how.passages", { n: why.scope.chunks }) })}</p> : null}
      </div>
      {isCounted ? <QuestionWords words={why.words} /> : null}
      {missing.map((key) => (
        <p key={key} className={styles.missing}>
          <Icon name="warning" size={16} />
          {t(key)}
        </p>
      ))}
      <p className={styles.quiet}>{t(mode ?? "how.both")}</p>
      {why.pools.length > 0 ? <p className={styles.quiet}>{t("how.pools", { pools: why.pools.map(({ name, kept, k }) => `${name} ${kept}/${k}`).join(", ") })}</p> : null}
      <Candidates why={why} place={place} />
      {why.prompt ? (
        <details className={styles.prompt}>
          <summary>{t("how.model")}</summary>
          <pre tabIndex={0} dir="auto">
            {why.prompt}
          </pre>
        </details>
      ) : null}
    </div>
  );
}

function Candidates({ why, place }: FoundProps) {
  const t = useT();
  const [isAll, setAll] = useState(false);
  const { kept, near, dropped } = told(why);
  const all = why.candidates.length;
  const list = (rows: readonly WhyCandidate[]) => rows.map((one) => <Candidate key={one.chunk_id} one={one} why={why} place={place} />);
  if (all === 0) return <p data-testid="why-empty">{t(why.pools.length > 0 ? "how.emptyPools" : "how.empty")}</p>;
  return (
    <section aria-label={t("how.list")}>
      <div className={styles.top}>
        <h3 className={styles.part}>{kept.length > 0 ? t("how.keptCount", { kept: kept.length, n: all }) : near.length > 0 ? t("how.nearCount", { n: all }) : t("how.noneCount", { n: all })}</h3>
        <Legend why={why} />
      </div>
      {kept.length + near.length > 0 || isAll ? (
        <ol className={styles.list}>
          {list(kept)}
          {list(near)}
          {isAll ? list(dropped) : null}
        </ol>
      ) : null}
      {dropped.length > 0 ? (
        <p className={styles.rest}>
          <Button small aria-expanded={isAll} onClick={() => setAll(!isAll)} data-testid="why-dropped">
            {isAll ? t("how.hideDropped") : t("how.showDropped", { n: dropped.length })}
          </Button>
        </p>
      ) : null}
    </section>
  );
}

/** What the bars mean, and the mark on them. */
function Legend({ why }: { why: Why }) {
  const t = useT();
  if (!why.candidates.some((one) => one.similarity !== null)) return null;
  const floor = typeof why.floor === "number" ? t("how.floor", { floor: measure(why.floor) }) : t("how.noFloor");
  return (
    <p className={styles.key}>
      {t("how.bars")} {floor} {why.model ? t("how.by", { model: why.model }) : null}
    </p>
  );
}
