import type { Use } from "@/shared/api/types";
import { asRunningText, asShownText, quotePieces } from "../lib/quote";
import styles from "./Quote.module.css";

/** The source's own words: what carries the statement is marked, a sentence each side stands in grey. */
export function Quote({ use, hasContext = true }: { use: Use; hasContext?: boolean }) {
  return (
    <blockquote className={styles.quote} dir="auto" data-testid="quote">
      {hasContext && use.context?.before ? <span className={styles.around}>{asShownText(use.context.before, true)} </span> : null}
      <span data-quote={use.quote ?? ""}>
        {quotePieces(use).map((piece, at) =>
          piece.isMarked ? (
            <mark key={at} className={styles.carrying}>
              {asRunningText(piece.text)}
            </mark>
          ) : (
            <span key={at}>{asShownText(piece.text, at === 0)}</span>
          ),
        )}
      </span>
      {hasContext && use.context?.after ? <span className={styles.around}> {asShownText(use.context.after, true)}</span> : null}
    </blockquote>
  );
}
