import { Link } from "wouter";
import { readerAddress } from "@/features/citations/lib/address";
import { useT } from "@/shared/i18n/i18n";
import type { ChatTurn } from "../lib/request";
import styles from "./Cards.module.css";

/** The sources that were at hand for an answer that names none of them: never with a mark, for nothing was compared. */
export default function Fallback({ turn }: { turn: ChatTurn }) {
  const t = useT();
  return (
    <section data-testid="fallback">
      <p className={styles.lead}>{t("answer.fallback")}</p>
      <ul className={styles.cards}>
        {turn.sources.map((source) => (
          <li key={`${source.n} ${source.source_id}`} className={styles.card}>
            <p className={styles.title} dir="auto">
              {source.title ? (
                <Link href={readerAddress({ notebookId: turn.notebook_id, sourceId: source.source_id, conversation: turn.conversation_id })}>{source.title}</Link>
              ) : (
                t("verdict.removed")
              )}
            </p>
            {source.excerpt ? (
              <p className={styles.preview} dir="auto">
                {source.excerpt}
              </p>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
