import type { Citation } from "@/shared/api/types";
import { t as translate, useT } from "@/shared/i18n/i18n";
import { copyText } from "@/shared/lib/clipboard";
import { Button } from "@/shared/ui/Button";
import { IconButton } from "@/shared/ui/IconButton";
import { toast } from "@/shared/ui/toast";
import { bring } from "../lib/bring";
import { closeCard, openCard, type ShownCard } from "../lib/card";
import { clock, locator } from "../lib/locator";
import { spotAt, type PlacedMark } from "../lib/marks";
import { quoteWithReference } from "../lib/quote";
import { marksOnPage } from "../lib/scope";
import { factLines, verdictReason, verdictWords } from "../lib/verdict";
import { Quote } from "./Quote";
import { VerdictIcon } from "./VerdictIcon";
import styles from "./CitationCard.module.css";

/** Everything the answer knows about one mark; no request is made. */
export function CardContent({ card, mark, isSheet }: { card: ShownCard; mark: PlacedMark; isSheet: boolean }) {
  const t = useT();
  const { citation, use, state } = mark;
  const place = locator(citation, t);
  return (
    <>
      <header className={styles.head}>
        <span className={styles.number}>{mark.n}</span>
        <div className={styles.what}>
          <p className={styles.title} dir="auto">
            {citation.source_title}
          </p>
          {place ? <p className={styles.place}>{place}</p> : null}
        </div>
        <Steps card={card} />
        {isSheet ? <IconButton icon="close" small label={t("card.close")} onClick={() => close(card)} /> : null}
      </header>
      {use?.quote ? <Quote use={use} /> : <p className={styles.none}>{t("card.noQuote")}</p>}
      <div className={[styles.verdict, styles[state]].join(" ")}>
        <span className={styles.sign}>
          <VerdictIcon state={state} size={16} />
        </span>
        <p className={styles.says}>
          <strong>{verdictWords(state, t)}.</strong> {verdictReason(state, use, t, citation.kind === "note")}
        </p>
        {factLines(use, t).map((fact) => (
          <p key={fact} className={styles.fact}>
            {fact}
          </p>
        ))}
        {citation.carried ? <p className={styles.fact}>{t("card.carried")}</p> : null}
      </div>
      {citation.removed ? null : (
        <footer className={styles.actions}>
          <Button small look="primary" onClick={() => open(card)}>
            {openWords(citation, t)}
          </Button>
          {use?.quote ? (
            <Button small look="quiet" icon="copy" onClick={() => void copyQuote(use.quote ?? "", citation.source_title, place)}>
              {t("card.copyQuote")}
            </Button>
          ) : null}
        </footer>
      )}
    </>
  );
}

/** What the button leads to: the page, the second, the picture, else the passage. */
function openWords(citation: Citation, t: typeof translate): string {
  if (typeof citation.start_ms === "number") return t("card.openAt", { time: clock(citation.start_ms) });
  if (citation.kind === "image") return t("card.openPicture");
  return citation.page && citation.kind === "pdf" ? t("card.openPage") : t("card.open");
}

function close(card: ShownCard): void {
  closeCard();
  card.anchor.focus();
}

function open(card: ShownCard): void {
  closeCard();
  card.scope.open(card.anchor);
}

async function copyQuote(quote: string, title: string, place: string): Promise<void> {
  const done = await copyText(quoteWithReference(quote, title, place));
  toast(translate(done ? "card.quoteCopied" : "answer.copyFailed"), done ? {} : { tone: "error" });
}

/** ‹ › through the marks of this answer. */
function Steps({ card }: { card: ShownCard }) {
  const t = useT();
  const marks = marksOnPage(card.scope.turnKey);
  const at = marks.indexOf(card.anchor);
  if (marks.length < 2) return null;
  const go = (to: number): void => {
    const anchor = marks[to];
    if (!anchor) return;
    bring(anchor, "nearest");
    openCard({ scope: card.scope, ...spotAt(anchor), anchor, via: "press" });
    // The card is built anew beside its mark; whoever steps by keyboard stays in it.
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-step="${to > at ? "after" : "before"}"]:not(:disabled)`)?.focus());
  };
  return (
    <div className={styles.steps}>
      <IconButton small icon="chevronLeft" label={t("card.before")} data-step="before" disabled={at <= 0} onClick={() => go(at - 1)} />
      <IconButton small icon="chevronRight" label={t("card.after")} data-step="after" disabled={at >= marks.length - 1} onClick={() => go(at + 1)} />
    </div>
  );
}
