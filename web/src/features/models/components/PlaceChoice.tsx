import type { Place } from "@/features/models/lib/roles";
import type { FoundServer } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import styles from "@/features/models/components/PlaceChoice.module.css";

interface PlaceProps {
  place: Place;
  onPlace: (place: Place) => void;
  found: FoundServer[];
  hasLocal: boolean;
}

/** Where the model runs. */
export function PlaceChoice({ place, onPlace, found, hasLocal }: PlaceProps) {
  const t = useT();
  const choices: { value: Place; label: string; hint: string }[] = [
    ...(hasLocal ? [{ value: "local" as const, label: t("models.local"), hint: t("models.on_this_server") }] : []),
    ...found.map((server, at) => ({ value: `found:${at}` as const, label: t("models.found_here", { name: server.name }), hint: server.base_url })),
    { value: "other", label: t("models.other"), hint: t("models.other_hint") },
    { value: "none", label: t("models.no_model"), hint: t("models.no_model_hint") },
  ];
  return (
    <fieldset className={styles.choices}>
      <legend className={styles.legend}>{t("models.where")}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className={styles.choice}>
          <input type="radio" name="place" checked={choice.value === place} onChange={() => onPlace(choice.value)} />
          <span>
            {choice.label}
            <span className={styles.hint}>{choice.hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
