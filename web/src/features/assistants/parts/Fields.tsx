import { useState } from "react";
import { useChangeAssistant, useProfiles, type Assistant, type Change, type Profile } from "@/features/assistants/api";
import { FieldControl } from "@/features/assistants/components/FieldControl";
import { SaveBar } from "@/features/assistants/components/SaveBar";
import { furtherSections, mainFields, sectionName } from "@/features/assistants/lib/fieldWords";
import { changeOf, differs, labelOf, merged, sectionsOf, valueOf, withValue, type FieldOf, type Schema, type SectionOf, type Values } from "@/features/assistants/lib/fields";
import { useT } from "@/shared/i18n/i18n";
import type { Purpose } from "@/shared/lib/purposes";
import { Trouble } from "@/shared/ui/Trouble";
import parts from "@/features/assistants/components/Parts.module.css";
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
  const shown = { values, defaults, isDisabled: !canChange, onChange: setValues };
  const further = furtherSections(sections);
  const changed = further.flatMap((section) => section.fields).filter((field) => differs(values, defaults, field)).length;
  return (
    <div className={styles.part}>
      <p>{t(part === "limits" ? "assistants.limitsLead" : "assistants.answersLead", { purpose: t(`purpose.${row.profile as Purpose}`) })}</p>
      <p className={styles.meta}>{t(part === "limits" ? "assistants.limitEmpty" : `purpose.${row.profile as Purpose}_what`)}</p>
      <div className={styles.fields} data-testid="main-fields">
        <Controls fields={mainFields(sections)} {...shown} />
      </div>
      {further.length > 0 ? (
        <details className={styles.section} data-testid="advanced">
          <summary>
            {t("assistants.advanced")} {changed > 0 ? <span>{t("assistants.changedFields", { n: changed })}</span> : null}
          </summary>
          <div className={parts.inside}>
            <p className={styles.meta}>{t("assistants.advancedNote")}</p>
            {further.map((section) => (
              <Section key={section.name} section={section} {...shown} />
            ))}
          </div>
        </details>
      ) : null}
      {canChange ? <SaveBar save={save} isChanged={Object.keys(change).length > 0} onSave={() => save.mutate({ profile_settings: change } as Change)} /> : null}
    </div>
  );
}

interface ControlsProps {
  values: Values;
  defaults: Values;
  isDisabled: boolean;
  onChange: (values: Values) => void;
}

function Controls({ fields, values, defaults, isDisabled, onChange }: ControlsProps & { fields: readonly FieldOf[] }) {
  return fields.map((field) => (
    <FieldControl
      key={field.name}
      field={field}
      value={valueOf(values, field)}
      own={valueOf(defaults, field)}
      isChanged={differs(values, defaults, field)}
      isDisabled={isDisabled}
      onChange={(value) => onChange(withValue(values, field, value))}
    />
  ));
}

function Section({ section, ...shown }: ControlsProps & { section: SectionOf }) {
  const t = useT();
  const name = sectionName(section);
  const changed = section.fields.filter((field) => differs(shown.values, shown.defaults, field)).length;
  return (
    <details className={styles.section} data-testid={`section-${section.name}`}>
      <summary>
        {name ? t(name) : labelOf(section.name)} {changed > 0 ? <span>{t("assistants.changedFields", { n: changed })}</span> : null}
      </summary>
      <div className={styles.fields}>
        <p className={styles.meta} lang="en">
          {section.description}
        </p>
        <Controls fields={section.fields} {...shown} />
      </div>
    </details>
  );
}
