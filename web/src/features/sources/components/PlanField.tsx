import { planWords, PLANS } from "@/features/sources/lib/sites";
import { useT } from "@/shared/i18n/i18n";
import { Field } from "@/shared/ui/Field";

/** How often a site is looked at again, in hours; a plan that the form does not offer is kept. */
export function PlanField({ hours, disabled = false, onChange }: { hours: number | null; disabled?: boolean; onChange: (hours: number | null) => void }) {
  const t = useT();
  const plans: (number | null)[] = PLANS.some((plan) => plan === hours) ? [...PLANS] : [...PLANS, hours];
  return (
    <Field label={t("sites.again")}>
      {(ids) => (
        <select {...ids} value={hours ?? 0} disabled={disabled} onChange={(event) => onChange(Number(event.target.value) || null)}>
          {plans.map((plan) => (
            <option key={plan ?? 0} value={plan ?? 0}>
              {planWords(plan)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
