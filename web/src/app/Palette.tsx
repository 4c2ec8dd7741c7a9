import { useQueryClient } from "@tanstack/react-query";
import { useId, useState, type KeyboardEvent } from "react";
import { useLocation } from "wouter";
import { matching, paletteEntries, searchEntry, type Entry } from "@/app/paletteEntries";
import { useT } from "@/shared/i18n/i18n";
import { Dialog } from "@/shared/ui/Dialog";
import { Icon } from "@/shared/ui/Icon";
import styles from "@/app/Palette.module.css";

const SHOWN = 12;

/** Mod+K: type a few letters of a notebook, a source of the open one, or a command. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const t = useT();
  const client = useQueryClient();
  const [here, go] = useLocation();
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const id = useId();
  const search = searchEntry(query, here, go);
  const found = [...matching(paletteEntries(client, here, go), query).slice(0, SHOWN), ...(search ? [search] : [])];
  const chosen = Math.min(at, found.length - 1);
  const run = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt((chosen + step + found.length) % Math.max(1, found.length));
    else if (event.key === "Enter") run(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog open onClose={onClose} title={t("palette.title")} testId="palette">
      <input
        className={styles.input}
        role="combobox"
        aria-label={t("palette.placeholder")}
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${chosen}` : undefined}
        placeholder={t("palette.placeholder")}
        value={query}
        data-autofocus=""
        onChange={(event) => {
          setQuery(event.target.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div id={`${id}-list`} role="listbox" aria-label={t("palette.title")} className={styles.list}>
        {found.map((entry, i) => (
          <div
            key={entry.key}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === chosen}
            className={styles.entry}
            onPointerMove={() => setAt(i)}
            onClick={() => run(entry)}
          >
            <Icon name={entry.icon} />
            <span className={styles.name}>{entry.name}</span>
            <span className={styles.kind}>{entry.kind}</span>
          </div>
        ))}
      </div>
      {found.length === 0 ? <p className={styles.none}>{t("palette.none", { query })}</p> : null}
    </Dialog>
  );
}
