/** Words for the fields of a profile that most people set; the others have their names and descriptions of the API. */

import type { Key } from "@/shared/i18n/i18n";
import type { FieldOf, SectionOf } from "@/features/assistants/lib/fields";

export interface FieldWords {
  readonly label: Key;
  readonly what?: Key;
  /** Words of the values of a choice. */
  readonly options?: Readonly<Record<string, Key>>;
  /** Lines of the box, for longer texts. */
  readonly rows?: number;
}

const MAIN: Record<string, FieldWords> = {
  "prompt.audience": { label: "assistants.field_audience", what: "assistants.field_audience_what", rows: 3 },
  "answer.on_empty": {
    label: "assistants.field_on_empty",
    options: {
      model_with_list: "assistants.field_on_empty_model_with_list", canned: "assistants.field_on_empty_canned", silent: "assistants.field_on_empty_silent",
      low_confidence: "assistants.field_on_empty_low_confidence",
    },
  },
  "answer.mode": {
    label: "assistants.field_mode",
    options: { workflow: "assistants.field_mode_workflow", agent: "assistants.field_mode_agent", hybrid: "assistants.field_mode_hybrid" },
  },
  "answer.max_tokens": { label: "assistants.field_max_tokens", what: "assistants.field_max_tokens_what" },
  "limits.per_person_hour": { label: "assistants.field_per_person_hour" },
  "limits.per_address_minute": { label: "assistants.field_per_address_minute" },
  "limits.everyone_hour": { label: "assistants.field_everyone_hour" },
  "limits.at_once": { label: "assistants.field_at_once" },
  "limits.at_once_person": { label: "assistants.field_at_once_person" },
};

const SECTIONS: Record<string, Key> = {
  retrieval: "assistants.section_retrieval", routing: "assistants.section_routing", prompt: "assistants.section_prompt", tools: "assistants.section_tools",
  conversation: "assistants.section_conversation", answer: "assistants.section_answer", citations: "assistants.section_citations",
  reply: "assistants.section_reply", ingest: "assistants.section_ingest", limits: "assistants.limits",
};

export const wordsOf = (field: FieldOf): FieldWords | undefined => MAIN[`${field.section}.${field.name}`];

export const sectionName = (section: SectionOf): Key | undefined => SECTIONS[section.name];

/** The fields that have words, in the order in which they are asked. */
export function mainFields(sections: readonly SectionOf[]): FieldOf[] {
  const fields = sections.flatMap((section) => section.fields);
  return Object.keys(MAIN).flatMap((name) => fields.find((field) => `${field.section}.${field.name}` === name) ?? []);
}

/** The sections without those fields; one that has no others is left out. */
export function furtherSections(sections: readonly SectionOf[]): SectionOf[] {
  return sections.map((section) => ({ ...section, fields: section.fields.filter((field) => !wordsOf(field)) })).filter((section) => section.fields.length > 0);
}
