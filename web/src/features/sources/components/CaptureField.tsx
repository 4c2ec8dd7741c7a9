import { useState } from "react";
import { CAPTURES, type Capture } from "@/features/sources/api";
import type { FileOptions } from "@/features/sources/lib/uploads";
import { useMe } from "@/shared/api/queries";
import { useT, type Key } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Field } from "@/shared/ui/Field";
import styles from "@/features/sources/components/FilesTab.module.css";

/** How PDFs and pictures of this upload are read, with a sentence on what that means, and a password where PDFs have one. */
export function CaptureField({ options, onChange }: { options: FileOptions; onChange: (options: FileOptions) => void }) {
  const t = useT();
  const me = useMe();
  const [hasPassword, setPassword] = useState(false);
  const capture = options.capture ?? me.data?.preferences.pdf_capture ?? "auto";
  return (
    <div className={styles.options}>
      <Field label={t("add.capture")} hint={t(`settings.capture.${capture}_note` as Key)}>
        {(ids) => (
          <select {...ids} value={capture} data-testid="capture" onChange={(event) => onChange({ ...options, capture: event.target.value as Capture })}>
            {CAPTURES.map((mode) => (
              <option key={mode} value={mode}>
                {t(`settings.capture.${mode}`)}
              </option>
            ))}
          </select>
        )}
      </Field>
      {hasPassword ? (
        <Field label={t("add.password")} hint={t("add.password_hint")}>
          {(ids) => (
            <input {...ids} type="password" autoFocus autoComplete="off" value={options.password ?? ""} onChange={(event) => onChange({ ...options, password: event.target.value })} />
          )}
        </Field>
      ) : (
        <p>
          <Button look="link" small onClick={() => setPassword(true)}>
            {t("add.password_ask")}
          </Button>
        </p>
      )}
    </div>
  );
}
