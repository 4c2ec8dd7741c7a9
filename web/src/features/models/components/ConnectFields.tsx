import type { FoundServer } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Field } from "@/shared/ui/Field";
import styles from "@/features/models/components/ConnectDialog.module.css";

interface FieldsProps {
  /** A server found on this computer: its address is known and its models can be chosen. */
  server: FoundServer | undefined;
  address: string;
  onAddress: (text: string) => void;
  model: string;
  onModel: (text: string) => void;
  apiKey: string;
  onKey: (text: string) => void;
  hasKey: boolean;
  errors: { address: string | null; model: string | null };
}

/** Address, model and key. */
export function ConnectFields({ server, address, onAddress, model, onModel, apiKey, onKey, hasKey, errors }: FieldsProps) {
  const t = useT();
  return (
    <div className={styles.fields}>
      {server ? null : (
        <Field label={t("models.address")} hint={t("models.address_hint")} error={errors.address}>
          {(ids) => <input {...ids} type="url" dir="ltr" spellCheck={false} autoComplete="off" placeholder="https://" value={address} onChange={(event) => onAddress(event.target.value)} />}
        </Field>
      )}
      <Field label={t("models.model")} hint={server ? undefined : t("models.model_hint")} error={errors.model}>
        {(ids) =>
          server && server.models.length > 0 ? (
            <select {...ids} value={model} onChange={(event) => onModel(event.target.value)}>
              {server.models.includes(model) || model === "" ? null : <option value={model}>{model}</option>}
              {server.models.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          ) : (
            <input {...ids} dir="ltr" spellCheck={false} autoComplete="off" value={model} onChange={(event) => onModel(event.target.value)} />
          )
        }
      </Field>
      {server ? null : (
        <Field label={t("models.key")} hint={hasKey ? t("models.key_kept") : t("models.key_hint")}>
          {(ids) => <input {...ids} type="password" dir="ltr" autoComplete="off" value={apiKey} onChange={(event) => onKey(event.target.value)} />}
        </Field>
      )}
    </div>
  );
}
