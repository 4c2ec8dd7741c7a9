import { useState } from "react";
import { useChangeAssistant, useProfiles, type Assistant, type Change, type Profile } from "@/features/assistants/api";
import { FieldControl } from "@/features/assistants/components/FieldControl";
import { SaveBar } from "@/features/assistants/components/SaveBar";
import { changeOf, differs, labelOf, merged, sectionsOf, valueOf, withValue, type Schema, type SectionOf, type Values } from "@/features/assistants/lib/fields";
import { useT } from "@/shared/i18n/i18n";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/assistants/components/Assistants.module.css";

interface FieldsProps {
  row: Assistant;
  canChange: boolean;
  /** Limits alone, or all but them. */
  part: "answers" | "limits";
}

/** The fields of the assistant's profile, those that differ from it named. */
export function Fields({ row, canChange, part }: FieldsProps) {
  const profiles = useProfiles();
  const profile = profiles.data?.find((one) => one.name === row.profile);
  if (profiles.isError) return <Trouble error={profiles.error} onRetry={() => void profiles.refetch()} />;
  return profile ? <Form key={`${row.profile} ${part}`} row={row} profile={profile} canChange={canChange} part={part} /> : null;
}

function Form({ row, profile, canChange, part }: FieldsProps & { profile: Profile }) {
  const t = useT();
  const save = useChangeAssistant(row.id);
  const defaults = profile.defaults as Values;
  const before = merged(defaults, row.profile_settings as Values);
  const [values, setValues] = useState(before);
  const sections = sectionsOf(profile.schema as Schema).filter((section) => (section.name === "limits") === (part === "limits"));
  const change = changeOf(before, values, defaults);
  return (
    <div className={styles.part}>
      <p>{t(part === "limits" ? "assistants.limitsLead" : "assistants.answersLead", { purpose: profile.purpose })}</p>
      {part === "limits" ? null : <p className={styles.meta}>{profile.sentence}</p>}
      <div>
        {sections.map((section) => (
          <Section key={section.name} section={section} values={values} defaults={defaults} isOpen={part === "limits"} isDisabled={!canChange} onChange={setValues} />
        ))}
      </div>
      {canChange ? <SaveBar save={save} isChanged={Object.keys(change).length > 0} onSave={() => save.mutate({ profile_settings: change } as Change)} /> : null}
    </div>
  );
}

interface SectionProps {
  section: SectionOf;
  values: Values;
  defaults: Values;
  isOpen: boolean;
  isDisabled: boolean;
  onChange: (values: Values) => void;
}

function Section({ section, values, defaults, isOpen, isDisabled, onChange }: SectionProps) {
  const t = useT();
  const changed = section.fields.filter((field) => differs(values, defaults, field)).length;
  return (
    <details className={styles.section} open={isOpen} data-testid={`section-${section.name}`}>
      <summary>
        {labelOf(section.name)} {changed > 0 ? <span>{t("assistants.changedFields", { n: changed })}</span> : null}
      </summary>
      <div className={styles.fields}>
        <p className={styles.meta}>{section.description}</p>
        {section.fields.map((field) => (
          <FieldControl
            key={field.name}
            field={field}
            value={valueOf(values, field)}
            own={valueOf(defaults, field)}
            isChanged={differs(values, defaults, field)}
            isDisabled={isDisabled}
            onChange={(value) => onChange(withValue(values, field, value))}
          />
        ))}
      </div>
    </details>
  );
}
