import { useEffect, useRef } from "react";
import { useT } from "@/shared/i18n/i18n";
import { IconButton } from "@/shared/ui/IconButton";
import type { Finder } from "../lib/useSearchIn";
import styles from "./Reader.module.css";

/** Search in the open source: Enter for the next match, Shift+Enter for the one before, Esc closes. */
export function SearchBar({ finder }: { finder: Finder }) {
  const t = useT();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const isShort = finder.words.trim().length < 2;
  const count = finder.matches.length;
  const words = isShort ? "" : finder.isBusy ? t("reader.searching") : count === 0 ? t("reader.noMatch") : t("reader.nth", { k: Math.max(0, finder.at + 1), n: count });
  return (
    <div className={styles.search} role="search">
      <input
        ref={field}
        type="search"
        value={finder.words}
        placeholder={t("reader.search")}
        aria-label={t("reader.search")}
        data-testid="reader-search"
        onChange={(event) => finder.write(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.nativeEvent.isComposing) finder.step(event.shiftKey ? -1 : 1);
          else if (event.key === "Escape") finder.close();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span className={styles.count} role="status">
        {words}
      </span>
      <IconButton small icon="arrowUp" label={t("reader.matchBefore")} disabled={count === 0} onClick={() => finder.step(-1)} />
      <IconButton small icon="arrowDown" label={t("reader.matchAfter")} disabled={count === 0} onClick={() => finder.step(1)} />
      <IconButton small icon="close" label={t("reader.searchClose")} onClick={finder.close} />
    </div>
  );
}
