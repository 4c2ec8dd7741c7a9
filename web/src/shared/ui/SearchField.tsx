import { Icon } from "@/shared/ui/Icon";
import styles from "@/shared/ui/SearchField.module.css";

interface SearchProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
  className?: string;
}

/** The field that narrows the list below it. */
export function SearchField({ label, value, onChange, className }: SearchProps) {
  return (
    <label className={[styles.search, className ?? ""].join(" ")}>
      <Icon name="search" size={16} />
      <span className="heard">{label}</span>
      <input type="search" placeholder={label} value={value} onChange={(event) => onChange(event.target.value)} />
    </label>
  );
}
