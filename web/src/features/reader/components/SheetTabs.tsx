import { useRef, type KeyboardEvent } from "react";
import { useT } from "@/shared/i18n/i18n";
import styles from "./Table.module.css";

export interface SheetTabsProps {
  sheets: readonly { readonly name: string; readonly rows: number }[];
  value: string;
  onChange: (name: string) => void;
}

/** The sheets of a table; arrows move between them. */
export function SheetTabs({ sheets, value, onChange }: SheetTabsProps) {
  const t = useT();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const at = sheets.findIndex((sheet) => sheet.name === value);
    const step = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: sheets.length - 1 }[event.key];
    if (step === undefined) return;
    const to = (step + sheets.length) % sheets.length;
    event.preventDefault();
    event.stopPropagation();
    onChange(sheets[to]?.name ?? value);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[to]?.focus();
  };
  return (
    <div ref={list} role="tablist" aria-label={t("reader.sheets")} className={styles.tabs} onKeyDown={move} data-testid="sheets">
      {sheets.map(({ name, rows }) => (
        <button key={name} type="button" role="tab" aria-selected={name === value} tabIndex={name === value ? 0 : -1} className={styles.tab} dir="auto" title={t("reader.rows", { n: rows })} onClick={() => onChange(name)}>
          {name}
        </button>
      ))}
    </div>
  );
}
