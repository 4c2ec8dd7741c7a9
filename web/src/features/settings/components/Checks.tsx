import { useId, type ReactNode } from "react";
import styles from "@/features/settings/components/Access.module.css";

interface Props<Value extends string> {
  legend: string;
  values: readonly Value[];
  given: readonly Value[];
  /** What stands beside the box of a value. */
  what: (value: Value) => ReactNode;
  error: string | null;
  onChange: (given: Value[]) => void;
}

/** A group of boxes of which several may be checked, with its error below. */
export function Checks<Value extends string>({ legend, values, given, what, error, onChange }: Props<Value>) {
  const id = useId();
  const set = (value: Value, isGiven: boolean): void => onChange(isGiven ? [...given, value] : given.filter((one) => one !== value));
  return (
    <fieldset className={styles.checks} aria-describedby={error ? id : undefined}>
      <legend>{legend}</legend>
      {values.map((value) => (
        <label key={value} className={styles.check}>
          <input type="checkbox" checked={given.includes(value)} onChange={(event) => set(value, event.target.checked)} />
          <span>{what(value)}</span>
        </label>
      ))}
      {error ? (
        <p id={id} className={styles.error} role="alert">
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}
