import { useId, useState } from "react";
import { Link } from "wouter";
import { readerAddress } from "@/features/citations/lib/address";
import { locator } from "@/features/citations/lib/locator";
import { asShownText } from "@/features/citations/lib/quote";
import type { Why, WhyCandidate } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Icon } from "@/shared/ui/Icon";
import { because, outcome, ranks } from "../lib/why";
import type { WhyPlace } from "./HowFound";
import { Nearness } from "./Nearness";
import styles from "./Candidate.module.css";

interface CandidateProps {
  one: WhyCandidate;
  why: Why;
  place: WhyPlace;
}

/** A passage that was looked at: one line, and on demand its words, its places and why it was kept or left out. */
export function Candidate({ one, why, place }: CandidateProps) {
  const t = useT();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const name = [one.source_title, locator(one, t)].filter(Boolean).join(" · ");
  return (
    <li className={styles.candidate} data-kept={one.kept || undefined} data-testid="why-candidate">
      <button type="button" className={styles.line} aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        <span className={styles.sign}>
          <Icon name={one.kept ? "check" : "minus"} size={16} />
        </span>
        <span className={styles.name}>
          <span className={styles.title} dir="auto">
            {name}
          </span>
          <span className={styles.outcome}>
            <strong>{outcome(one, t)}</strong>
            <span>{ranks(one, t)}</span>
          </span>
        </span>
        <Nearness similarity={one.similarity} floor={why.floor} />
        <span className={styles.more}>
          <Icon name="chevronDown" size={16} />
        </span>
      </button>
      <div id={id} hidden={!isOpen} className={styles.details}>
        {isOpen ? <Details one={one} why={why} place={place} /> : null}
      </div>
    </li>
  );
}

function Details({ one, why, place }: CandidateProps) {
  const t = useT();
  const sentence = because(one, why, t);
  const at = { passage: one.passage, start: one.start, end: one.end };
  const { notebookId } = place;
  const href = notebookId === null ? null : readerAddress({ ...place, notebookId, turn: place.turnId, sourceId: one.source_id, at, reading: one.reading_id });
  return (
    <>
      {sentence ? <p>{sentence}</p> : null}
      <blockquote className={styles.text} dir="auto" tabIndex={0}>
        {asShownText(one.text, true)}
      </blockquote>
      {href === null ? null : (
        <p>
          <Link href={href} state={{ fromChat: true }} data-testid="why-open">
            {one.page ? t("card.openPage") : t("card.open")}
          </Link>
        </p>
      )}
    </>
  );
}
