import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "@/shared/api/client";
import { keys } from "@/shared/api/queries";
import type { Why, WhyCandidate } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Dialog } from "@/shared/ui/Dialog";
import styles from "./HowFound.module.css";

/** How the passages of an answer were found, ranked, kept and dropped, and what the model was given. */
export function HowFound({ turnId, onClose }: { turnId: string; onClose: () => void }) {
  const t = useT();
  const query = useQuery({
    queryKey: [...keys.turn(turnId), "why"],
    queryFn: ({ signal }) => api.get<Why>(`/turns/${turnId}/why`, signal),
    staleTime: Infinity,
  });
  return (
    <Dialog open onClose={onClose} title={t("answer.how")} size="large" testId="why">
      {query.data ? <Found why={query.data} /> : null}
      {query.isPending ? <p>{t("how.loading")}</p> : null}
      {query.isError ? (
        <p role="alert">
          {t("how.failed")}{" "}
          <Button look="link" onClick={() => void query.refetch()}>
            {t("refused.tryAgain")}
          </Button>
        </p>
      ) : null}
    </Dialog>
  );
}

function Found({ why }: { why: Why }) {
  const t = useT();
  const [isAll, setAll] = useState(false);
  const kept = why.candidates.filter((candidate) => candidate.kept);
  const dropped = why.candidates.filter((candidate) => !candidate.kept);
  return (
    <div className={styles.found}>
      <p>
        {t("how.question")} <q dir="auto">{why.question}</q>
      </p>
      {why.candidates.length === 0 ? (
        <p>{t("how.empty")}</p>
      ) : (
        <p>{t("how.keptCount", { kept: kept.length, n: why.candidates.length })}</p>
      )}
      <ol className={styles.list}>
        {kept.map((candidate) => (
          <Candidate key={candidate.chunk_id} candidate={candidate} />
        ))}
      </ol>
      {dropped.length > 0 && !isAll ? (
        <p>
          <Button small onClick={() => setAll(true)}>
            {t("how.showDropped", { n: dropped.length })}
          </Button>
        </p>
      ) : null}
      {isAll ? (
        <ol className={styles.list}>
          {dropped.map((candidate) => (
            <Candidate key={candidate.chunk_id} candidate={candidate} />
          ))}
        </ol>
      ) : null}
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

function Candidate({ candidate }: { candidate: WhyCandidate }) {
  const t = useT();
  const ranks = [
    candidate.words_rank === null ? null : t("how.byWords", { n: candidate.words_rank }),
    candidate.meaning_rank === null ? null : t("how.byMeaning", { n: candidate.meaning_rank }),
    candidate.fused_rank === null ? null : t("how.together", { n: candidate.fused_rank }),
  ];
  const place = [candidate.page ? t("card.page", { n: candidate.page }) : "", candidate.heading?.replaceAll(" > ", " › ") ?? ""];
  return (
    <li className={styles.candidate} data-kept={candidate.kept || undefined}>
      <p className={styles.title} dir="auto">
        {[candidate.source_title, ...place].filter(Boolean).join(" · ")}
      </p>
      <p className={styles.text} dir="auto">
        {candidate.text}
      </p>
      <p className={styles.why}>
        <strong className={candidate.kept ? styles.kept : styles.dropped}>{t(candidate.kept ? "how.kept" : "how.dropped")}</strong>
        {candidate.why ? <span>{candidate.why}</span> : null}
        <span>{ranks.filter(Boolean).join(" · ")}</span>
      </p>
    </li>
  );
}
