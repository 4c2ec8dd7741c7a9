import { useState, type CSSProperties } from "react";
import { useChangeAssistant, type Assistant } from "@/features/assistants/api";
import { SaveBar } from "@/features/assistants/components/SaveBar";
import { LANGUAGES, useT } from "@/shared/i18n/i18n";
import { Choice } from "@/shared/ui/Choice";
import { Field } from "@/shared/ui/Field";
import { Icon } from "@/shared/ui/Icon";
import { Note } from "@/shared/ui/Note";
import { colourOf, contrast, DEFAULT_COLOUR, inkOn, STANDS_OUT } from "@/widget/colour";
import type { Look } from "@/widget/contract";
import styles from "@/features/assistants/components/Assistants.module.css";

const PAGES = ["#ffffff", "#15171b"] as const; // a light and a dark page, as sites have them

/** Greeting, placeholder, language, colour with its contrast, corner. */
export function LookPart({ row, canChange }: { row: Assistant; canChange: boolean }) {
  const t = useT();
  const save = useChangeAssistant(row.id);
  const [look, setLook] = useState<Look>(row.look as Look);
  const [language, setLanguage] = useState(row.language ?? "");
  const isChanged = JSON.stringify(look) !== JSON.stringify(row.look) || language !== (row.language ?? "");
  const set = (fields: Look): void => setLook({ ...look, ...fields });
  const send = (): void => save.mutate({ look: look as never, language: language || null });
  return (
    <div className={styles.form}>
      <Field label={t("assistants.greeting")} hint={t("assistants.greetingHint")}>
        {(ids) => <textarea {...ids} rows={3} maxLength={1000} dir="auto" disabled={!canChange} value={look.greeting ?? ""} onChange={(event) => set({ greeting: event.target.value || null })} />}
      </Field>
      <Field label={t("assistants.placeholder")}>
        {(ids) => <input {...ids} maxLength={200} dir="auto" disabled={!canChange} value={look.placeholder ?? ""} onChange={(event) => set({ placeholder: event.target.value || null })} />}
      </Field>
      <Field label={t("assistants.language")} hint={t("assistants.languageHint")}>
        {(ids) => (
          <select {...ids} disabled={!canChange} value={language} onChange={(event) => setLanguage(event.target.value)}>
            <option value="">{t("assistants.languageOfPage")}</option>
            {Object.entries(LANGUAGES).map(([code, name]) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Colour given={look.colour ?? ""} isDisabled={!canChange} onChange={(colour) => set({ colour })} />
      <Choice
        inline
        legend={t("assistants.position")}
        name="position"
        value={look.position ?? "right"}
        options={[
          { value: "right", label: t("assistants.right") },
          { value: "left", label: t("assistants.left") },
        ]}
        onChange={(position) => canChange && set({ position: position === "left" ? "left" : null })}
      />
      {canChange ? <SaveBar save={save} isChanged={isChanged} onSave={send} /> : null}
    </div>
  );
}

function Colour({ given, isDisabled, onChange }: { given: string; isDisabled: boolean; onChange: (colour: string | null) => void }) {
  const t = useT();
  const colour = colourOf(given) ?? DEFAULT_COLOUR;
  const ink = inkOn(colour);
  const weakest = Math.min(...PAGES.map((page) => contrast(page, colour)));
  const ratio = (value: number): string => value.toFixed(1);
  const sample = { background: colour, color: ink } as CSSProperties;
  return (
    <>
      <Field label={t("assistants.colour")} hint={t("assistants.contrast", { ratio: ratio(contrast(ink, colour)) })}>
        {(ids) => (
          <div className={styles.colour}>
            <input {...ids} type="color" disabled={isDisabled} value={colour} onChange={(event) => onChange(event.target.value)} />
            <span className={styles.sample} style={sample} aria-hidden="true">
              <Icon name="chat" size={24} />
            </span>
          </div>
        )}
      </Field>
      {weakest < STANDS_OUT ? (
        <Note tone="warning" icon="warning" testId="colour-weak">
          {t(contrast(PAGES[0], colour) < STANDS_OUT ? "assistants.weakOnLight" : "assistants.weakOnDark", { ratio: ratio(weakest) })}
        </Note>
      ) : null}
    </>
  );
}
