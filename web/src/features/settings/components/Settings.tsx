import { useQueryClient } from "@tanstack/react-query";
import { savePreferences } from "@/features/settings/api";
import { Tokens } from "@/features/settings/components/Tokens";
import { Webhooks } from "@/features/settings/components/Webhooks";
import { Choice } from "@/shared/ui/Choice";
import { useMe } from "@/shared/api/queries";
import type { Preferences, Theme } from "@/shared/api/types";
import { currentLanguage, isLanguage, LANGUAGES, setLanguage, useT, type Key } from "@/shared/i18n/i18n";
import { useRemembered } from "@/shared/lib/remembered";
import { Field } from "@/shared/ui/Field";
import styles from "@/features/settings/components/Settings.module.css";

const THEMES: Theme[] = ["system", "light", "dark"];
const CAPTURES = ["auto", "text", "vision"] as const;
const ANSWER_LANGUAGES = Object.entries(LANGUAGES);

/** Theme, languages, how PDFs are read, keys: kept at once. Then tokens and webhooks. */
export function Settings() {
  const t = useT();
  const client = useQueryClient();
  const me = useMe();
  const [keysOff, setKeysOff] = useRemembered<boolean>("keys.off", false);
  const preferences = me.data?.preferences ?? {};
  const save = (change: Preferences): void => void savePreferences(client, change);
  const speak = (language: string): void => {
    if (!isLanguage(language)) return;
    void setLanguage(language).then(() => save({ ui_language: language }));
  };
  return (
    <div className={styles.sections}>
      <section className={styles.card}>
        <h2>{t("settings.look")}</h2>
        <Choice
          legend={t("settings.theme")}
          name="theme"
          value={preferences.theme ?? "system"}
          onChange={(theme) => save({ theme })}
          options={THEMES.map((theme) => ({ value: theme, label: t(`settings.theme.${theme}`) }))}
          inline
        />
        <div className={styles.pair}>
          <Field label={t("settings.language")}>
            {(ids) => (
              <select {...ids} value={currentLanguage()} onChange={(event) => speak(event.target.value)}>
                {Object.entries(LANGUAGES).map(([code, name]) => (
                  <option key={code} value={code} lang={code}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label={t("settings.answer_language")}>
            {(ids) => (
              <select {...ids} value={preferences.answer_language ?? ""} onChange={(event) => save({ answer_language: event.target.value || null })}>
                <option value="">{t("settings.answer_auto")}</option>
                {ANSWER_LANGUAGES.map(([code, name]) => (
                  <option key={code} value={code} lang={code}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
      </section>
      <section className={styles.card}>
        <h2>{t("settings.reading")}</h2>
        <Choice
          legend={t("settings.capture")}
          name="capture"
          value={preferences.pdf_capture ?? "auto"}
          onChange={(capture) => save({ pdf_capture: capture })}
          options={CAPTURES.map((value) => ({ value, label: t(`settings.capture.${value}`), note: t(`settings.capture.${value}_note` as Key) }))}
        />
      </section>
      <section className={styles.card}>
        <h2>{t("settings.keys")}</h2>
        <label className={styles.check}>
          <input type="checkbox" checked={!keysOff} onChange={(event) => setKeysOff(!event.target.checked)} />
          {t("settings.keys_on")}
        </label>
      </section>
      <Tokens />
      <Webhooks />
    </div>
  );
}
