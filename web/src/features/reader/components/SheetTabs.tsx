import { useT } from "@/shared/i18n/i18n";
import { useTabKeys } from "@/shared/ui/Tabs";
import tabs from "@/shared/ui/Tabs.module.css";
import styles from "./Table.module.css";

export interface SheetTabsProps {
  sheets: readonly { readonly name: string; readonly rows: number }[];
  value: string;
  onChange: (name: string) => void;
}

/** The sheets of a table; arrows move between them. */
export function SheetTabs({ sheets, value, onChange }: SheetTabsProps) {
  const t = useT();
  const { list, move } = useTabKeys(
    sheets.map((sheet) => sheet.name),
    value,
    onChange,
  );
  return (
    <div ref={list} role="tablist" aria-label={t("reader.sheets")} className={styles.tabs} onKeyDown={move} data-testid="sheets">
      {sheets.map(({ name, rows }) => (
        <button key={name} type="button" role="tab" aria-selected={name === value} tabIndex={name === value ? 0 : -1} className={tabs.tab} dir="auto" title={t("reader.rows", { n: rows })} onClick={() => onChange(name)}>
          {name}
        </button>
      ))}
    </div>
  );
}
