/** Addresses of the assistants' screens. */

import type { Key } from "@/shared/i18n/i18n";
import { ASSISTANTS } from "@/shared/lib/addresses";

export const PARTS = ["start", "sources", "answers", "try", "look", "handover", "limits", "hosts", "people", "publish", "questions"] as const;
export type Part = (typeof PARTS)[number];

export const PART_NAMES: Record<Part, Key> = {
  start: "assistants.start", sources: "assistants.sources", answers: "assistants.answers", try: "assistants.try", publish: "assistants.publish",
  look: "assistants.look", handover: "assistants.handover", questions: "assistants.questions", limits: "assistants.limits",
  hosts: "assistants.hosts", people: "assistants.people",
};

export const isPart = (given: string | undefined): given is Part => PARTS.some((part) => part === given);

export const assistantAddress = (id: string, part: Part = "start"): string => `${ASSISTANTS}/${id}/${part}`;
