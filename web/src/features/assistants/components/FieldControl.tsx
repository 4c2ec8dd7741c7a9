import { useState } from "react";
import { labelOf, type FieldOf } from "@/features/assistants/lib/fields";
import { wordsOf } from "@/features/assistants/lib/fieldWords";
import { useT } from "@/shared/i18n/i18n";
import { Field } from "@/shared/ui/Field";
import styles from "@/features/assistants/components/Assistants.module.css";

interface FieldControlProps {
  field: FieldOf;
  value: unknown;
  own: unknown;
  isChanged: boolean;
  isDisabled: boolean;
  onChange: (value: unknown) => void;
}

/** One field of a profile as its kind asks: switch, choice, number, words, else JSON. In words where it has some, else as the API names it. */
export function FieldControl({ field, value, own, isChanged, isDisabled, onChange }: FieldControlProps) {
  const t = useT();
  const words = wordsOf(field);
  const label = words ? t(words.label) : labelOf(field.name);
  const optionWords = (option: string): string => {
    const key = words?.options?.[option];
    return key ? t(key) : option.replaceAll("_", " ");
  };
  const ownWords = own === null || own === "" ? "–" : words?.options ? optionWords(String(own)) : JSON.stringify(own);
  const hint = (
    <>
      {words ? (words.what ? t(words.what) : "") : <span lang="en">{field.description}</span>}
      {isChanged ? <span className={styles.changed}> {t("assistants.differs", { value: ownWords })}</span> : null}
    </>
  );
  if (field.control === "switch") {
    return (
      <label className={styles.switch}>
        <input type="checkbox" checked={value === true} disabled={isDisabled} onChange={(event) => onChange(event.target.checked)} />
        <span>
          {label}
          <span className={styles.meta}> {hint}</span>
        </span>
      </label>
    );
  }
  if (field.control === "json") return <JsonControl label={label} hint={hint} value={value} isDisabled={isDisabled} onChange={onChange} />;
  return (
    <Field label={label} hint={hint}>
      {(ids) =>
        field.control === "choice" ? (
          <select {...ids} disabled={isDisabled} value={String(value ?? "")} onChange={(event) => onChange(event.target.value === "" ? null : event.target.value)}>
            {field.canBeNull ? <option value="">–</option> : null}
            {field.options.map((option) => (
              <option key={option} value={option}>
                {optionWords(option)}
              </option>
            ))}
          </select>
        ) : field.control === "number" ? (
          <input
            {...ids}
            type="number"
            disabled={isDisabled}
            step={field.isInteger ? 1 : "any"}
            min={field.minimum ?? undefined}
            max={field.maximum ?? undefined}
            placeholder={own === null ? "–" : String(own)}
            value={value === null || value === undefined ? "" : String(value)}
            onChange={(event) => onChange(event.target.value === "" ? (field.canBeNull ? null : own) : event.target.valueAsNumber)}
          />
        ) : words?.rows ? (
          <textarea {...ids} rows={words.rows} dir="auto" disabled={isDisabled} value={String(value ?? "")} onChange={(event) => onChange(event.target.value)} />
        ) : (
          <input {...ids} dir="auto" disabled={isDisabled} value={String(value ?? "")} onChange={(event) => onChange(event.target.value === "" && field.canBeNull ? null : event.target.value)} />
        )
      }
    </Field>
  );
}

/** Taken over while it is JSON; what is half typed stays in the box. */
function JsonControl({ label, hint, value, isDisabled, onChange }: { label: string; hint: React.ReactNode; value: unknown; isDisabled: boolean; onChange: (value: unknown) => void }) {
  const t = useT();
  const [text, setText] = useState(JSON.stringify(value, null, 1));
  const [isWrong, setWrong] = useState(false);
  const type = (next: string): void => {
    setText(next);
    try {
      onChange(JSON.parse(next));
      setWrong(false);
    } catch {
      setWrong(true);
    }
  };
  return (
    <Field label={label} hint={hint} error={isWrong ? t("assistants.noJson") : null}>
      {(ids) => <textarea {...ids} rows={Math.min(8, text.split("\n").length)} spellCheck={false} disabled={isDisabled} value={text} onChange={(event) => type(event.target.value)} />}
    </Field>
  );
}
