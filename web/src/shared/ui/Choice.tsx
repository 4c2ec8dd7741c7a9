import { useState } from "react";
import styles from "@/shared/ui/Choice.module.css";

interface ChoiceProps<T extends string> {
  legend: string;
  name: string;
  value: T;
  options: { value: T; label: string; note?: string }[];
  onChange: (value: T) => void;
  inline?: boolean;
}

/** One of a few, as radio buttons with a note each. */
export function Choice<T extends string>({ legend, name, value, options, onChange, inline = false }: ChoiceProps<T>) {
  // The press shows at once; what is kept follows a tick later, and decides.
  const [kept, setKept] = useState(value);
  const [picked, setPicked] = useState<T | null>(null);
  if (kept !== value) {
    setKept(value);
    setPicked(null);
  }
  const pick = (next: T): void => {
    setPicked(next);
    onChange(next);
  };
  return (
    <fieldset className={styles.choice}>
      <legend className={styles.legend}>{legend}</legend>
      <div className={inline ? styles.inline : styles.stack}>
        {options.map((option) => (
          <label key={option.value} className={styles.option}>
            <input type="radio" name={name} checked={option.value === (picked ?? value)} onChange={() => pick(option.value)} />
            <span>
              {option.label}
              {option.note ? <span className={styles.note}>{option.note}</span> : null}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
