import { Link } from "wouter";
import { readerAddress } from "@/features/citations/lib/address";
import type { HelpCard } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Icon } from "@/shared/ui/Icon";
import type { ChatTurn } from "../lib/request";
import { winnerFirst } from "../lib/told";
import styles from "./Cards.module.css";

/** Sections of a help that fit the question: the winner first and larger, each a way to where it stands. */
export default function Cards({ turn }: { turn: ChatTurn }) {
  const t = useT();
  const cards = winnerFirst(turn.cards);
  return (
    <ol className={styles.cards} aria-label={t("cards.title")} data-testid="help-cards">
      {cards.map((card) => (
        <li key={`${card.rank} ${card.source_id} ${card.passage}`} className={card.is_winner ? styles.winner : styles.card} data-testid="help-card" data-winner={card.is_winner || undefined}>
          <p className={styles.title} dir="auto">
            <Way card={card} turn={turn} />
          </p>
          {card.heading && card.heading !== card.title ? (
            <p className={styles.heading} dir="auto">
              {card.heading.replaceAll(" > ", " › ")}
            </p>
          ) : null}
          <p className={styles.preview} dir="auto">
            {card.preview}
          </p>
        </li>
      ))}
    </ol>
  );
}

/** To the page on the web when the card names one that can be one, else to the passage here. */
function Way({ card, turn }: { card: HelpCard; turn: ChatTurn }) {
  if (card.address && /^(https?:\/\/|\/(?!\/))/i.test(card.address)) {
    return (
      <a href={card.address} target="_blank" rel="noopener noreferrer" className={styles.way}>
        {card.title}
        <Icon name="external" size={16} />
      </a>
    );
  }
  const at = { passage: card.passage, start: card.start, end: card.end };
  return (
    <Link href={readerAddress({ notebookId: turn.notebook_id, sourceId: card.source_id, at, reading: card.reading_id, conversation: turn.conversation_id })} className={styles.way}>
      {card.title}
    </Link>
  );
}
