/** Roles and their tests in plain words. */
import type { ModelTest } from "@/shared/api/types";
import { currentLanguage, t, type Key } from "@/shared/i18n/i18n";

const NAMES: Record<string, [Key, Key]> = {
  chat: ["models.role.chat", "models.role.chat_what"],
  embedding: ["models.role.embedding", "models.role.embedding_what"],
  vision: ["models.role.vision", "models.role.vision_what"],
  speech: ["models.role.speech", "models.role.speech_what"],
  voice: ["models.role.voice", "models.role.voice_what"],
  translate: ["models.role.translate", "models.role.translate_what"],
  caption: ["models.role.caption", "models.role.caption_what"],
  entailment: ["models.role.entailment", "models.role.entailment_what"],
};

export function roleName(role: string): string {
  const names = NAMES[role];
  return names ? t(names[0]) : role;
}

export function roleWhat(role: string): string {
  const names = NAMES[role];
  return names ? t(names[1]) : "";
}

/** "Answers in 0.8 s · 34 words a second · cites rightly 3 of 3", or "reads 7 of 7 words"; only what was measured. */
export function testWords(test: ModelTest): string {
  if (!test.ok) return t("models.failed", { why: test.error?.message ?? t("ui.unknown") });
  const parts: string[] = [];
  if (test.seconds !== null) parts.push(t("models.answers_in", { seconds: test.seconds.toLocaleString(currentLanguage(), { maximumSignificantDigits: 2 }) }));
  if (test.words_per_s !== null) parts.push(t("models.speed", { n: Math.round(test.words_per_s) }));
  if (test.cites_right !== null && test.cites_of !== null) parts.push(t("models.cites", { right: test.cites_right, of: test.cites_of }));
  if (test.reads_right !== null && test.reads_of !== null) parts.push(t("models.reads", { right: test.reads_right, of: test.reads_of }));
  if (test.dimension) parts.push(t("models.dimension", { n: test.dimension }));
  const text = parts.join(" · ");
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}

/** The three places a model can be, as the form offers them; `found:<n>` is the n-th server found on this computer. */
export type Place = "none" | "local" | "other" | `found:${number}`;

/** An address as the gateway wants it: no slash at the end; null when it is none. */
export function cleanAddress(text: string): string | null {
  const address = text.trim().replace(/\/+$/, "");
  return /^https?:\/\/[^\s/]+/i.test(address) && URL.canParse(address) ? address : null;
}
