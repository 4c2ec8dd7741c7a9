import type { RefObject } from "react";
import { Link } from "wouter";
import { readerAddress } from "@/features/citations/lib/address";
import { locator } from "@/features/citations/lib/locator";
import { asShownText } from "@/features/citations/lib/quote";
import { MOST } from "@/features/find/api";
import { goesOn, pieces, rangeOf } from "@/features/find/lib/snippet";
import { useNotebooks } from "@/shared/api/queries";
import type { FoundItem } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { iconOf } from "@/shared/lib/kinds";
import { Icon } from "@/shared/ui/Icon";
import styles from "@/features/find/components/Find.module.css";

interface ResultsProps {
  list: RefObject<HTMLOListElement | null>;
  items: readonly FoundItem[];
  /** Null: all of mine, so each result says its notebook. */
  within: string | null;
  isBusy: boolean;
  onOpen: (at: number) => void;
}

/** The passages, best first; each opens the reader at its words. */
export function Results({ list, items, within, isBusy, onOpen }: ResultsProps) {
  const t = useT();
  const notebooks = useNotebooks(within === null).data;
  const sources = new Set(items.map((item) => item.source_id)).size;
  return (
    <section aria-label={t("find.results")} aria-busy={isBusy}>
      <p className={styles.count} role="status" data-testid="find-count">
        {items.length >= MOST ? t("find.countMost", { n: items.length, sources: t("find.inSources", { n: sources }) }) : t("find.count", { n: items.length, sources: t("find.inSources", { n: sources }) })}
      </p>
      <ol ref={list} className={styles.results} data-busy={isBusy || undefined}>
        {items.map((item, at) => (
          <Result
            key={item.chunk_id}
            item={item}
            notebook={within === null ? (notebooks?.find((one) => one.id === item.notebook_id)?.title ?? null) : null}
            onOpen={() => onOpen(at)}
          />
        ))}
      </ol>
    </section>
  );
}

function Result({ item, notebook, onOpen }: { item: FoundItem; notebook: string | null; onOpen: () => void }) {
  const t = useT();
  const parts = pieces(item);
  const around = goesOn(item);
  const isByMeaning = !parts.some((part) => part.isMarked);
  const href = readerAddress({ notebookId: item.notebook_id, sourceId: item.source_id, at: rangeOf(item), reading: item.reading_id });
  return (
    <li className={styles.result} data-testid="find-result">
      <p className={styles.head}>
        <Icon name={iconOf(item)} size={16} />
        <Link href={href} state={{ fromChat: true, from: "find" }} className={styles.title} dir="auto" data-row="" onClick={onOpen}>
          {item.source_title}
        </Link>
        <span className={styles.place}>{locator(item, t)}</span>
      </p>
      <p className={styles.snippet} dir="auto">
        {around.before ? "… " : null}
        {parts.map((part, n) => (part.isMarked ? <mark key={n}>{asShownText(part.text, false)}</mark> : <span key={n}>{asShownText(part.text, n === 0)}</span>))}
        {around.after ? " …" : null}
      </p>
      {notebook !== null || isByMeaning ? (
        <p className={styles.meta}>
          {notebook === null ? null : <span dir="auto">{notebook}</span>}
          {isByMeaning ? <span>{t("find.byMeaning")}</span> : null}
        </p>
      ) : null}
    </li>
  );
}
