import { useEffect, useRef, useState, type ReactNode } from "react";
import type { Assistant } from "@/features/assistants/api";
import { TryApi } from "@/features/assistants/lib/tryApi";
import { currentLanguage, useT } from "@/shared/i18n/i18n";
import { place } from "@/widget/widget";
import styles from "@/features/assistants/components/Assistants.module.css";

/** The real widget over the draft, with how its last answer was found beside it. */
export function TryIt({ row, how }: { row: Assistant; how: (turnId: string) => ReactNode }) {
  const t = useT();
  const stage = useRef<HTMLDivElement>(null);
  const [turnId, setTurnId] = useState<string | null>(null);
  const theme = document.documentElement.dataset["theme"];
  // Another name, look or language is another widget; what else changes is asked of the server with the next question.
  const shape = JSON.stringify([row.id, row.name, row.look, row.language, row.handover, theme]);
  const latest = useRef(row);
  useEffect(() => {
    latest.current = row;
  }, [row]);
  useEffect(() => {
    const host = document.createElement("div");
    stage.current?.append(host);
    void place({ host, api: new TryApi(latest.current), isInside: true, languages: [currentLanguage()], theme: theme ?? null, onEnd: setTurnId });
    return () => host.remove();
  }, [shape, theme]);
  return (
    <div className={styles.try}>
      <div className={styles.part}>
        <div ref={stage} className={styles.stage} data-testid="try-widget" />
        <p className={styles.meta}>{t("assistants.tryNote")}</p>
      </div>
      <section className={styles.part} aria-labelledby="how-found" data-testid="try-how">
        <h2 id="how-found">{t("answer.how")}</h2>
        {turnId ? how(turnId) : <p className={styles.meta}>{t("assistants.tryHow")}</p>}
      </section>
    </div>
  );
}
