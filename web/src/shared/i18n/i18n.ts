/** The words of the page: one catalogue at a time, loaded before the first paint, changed without a reload. */
import { useSyncExternalStore } from "react";
import { format, type Params } from "@/shared/i18n/format";
import type access from "@/shared/i18n/en/access.json";
import type assistants from "@/shared/i18n/en/assistants.json";
import type en from "@/shared/i18n/en/catalogue";

export type Key = keyof typeof en | keyof typeof assistants | keyof typeof access;
export const LANGUAGES = { en: "English", de: "Deutsch", cs: "Čeština", es: "Español", fr: "Français" } as const;
export type Language = keyof typeof LANGUAGES;

const loaders: Record<Language, () => Promise<{ default: Record<string, string> }>> = {
  en: () => import("@/shared/i18n/en/catalogue"),
  de: () => import("@/shared/i18n/de/catalogue"),
  cs: () => import("@/shared/i18n/cs/catalogue"),
  es: () => import("@/shared/i18n/es/catalogue"),
  fr: () => import("@/shared/i18n/fr/catalogue"),
};

// Words of screens that the first load has none of.
const extraLoaders = {
  assistants: {
    en: () => import("@/shared/i18n/en/assistants.json"),
    de: () => import("@/shared/i18n/de/assistants.json"),
    cs: () => import("@/shared/i18n/cs/assistants.json"),
    es: () => import("@/shared/i18n/es/assistants.json"),
    fr: () => import("@/shared/i18n/fr/assistants.json"),
  },
  access: {
    en: () => import("@/shared/i18n/en/access.json"),
    de: () => import("@/shared/i18n/de/access.json"),
    cs: () => import("@/shared/i18n/cs/access.json"),
    es: () => import("@/shared/i18n/es/access.json"),
    fr: () => import("@/shared/i18n/fr/access.json"),
  },
} satisfies Record<string, typeof loaders>;
export type Extra = keyof typeof extraLoaders;

// English dates day first, as in "3 May 2026".
const REGIONS: Record<Language, string> = { en: "en-GB", de: "de", cs: "cs", es: "es", fr: "fr" };

let language: Language = "en";
let catalogue: Record<string, string> = {};
let isShown = false; // a language was set
const extras = new Set<Extra>();
const listeners = new Set<() => void>();

export function isLanguage(value: unknown): value is Language {
  return typeof value === "string" && value in LANGUAGES;
}

/** The language of the last visit, else the first of the browser's that we have, else English. */
export function firstLanguage(): Language {
  const remembered = localStorage.getItem("sourcebook.language");
  if (isLanguage(remembered)) return remembered;
  for (const wanted of navigator.languages) {
    const short = wanted.slice(0, 2).toLowerCase();
    if (isLanguage(short)) return short;
  }
  return "en";
}

/** Loads and shows `next`; resolves when every text is there. */
export async function setLanguage(next: Language): Promise<void> {
  const [own, ...more] = await Promise.all([loaders[next](), ...[...extras].map((extra) => extraLoaders[extra][next]())]);
  catalogue = Object.assign({}, own.default, ...more.map((words) => words.default)) as Record<string, string>;
  language = next;
  isShown = true;
  localStorage.setItem("sourcebook.language", next);
  document.documentElement.lang = next;
  for (const tell of listeners) tell();
}

/** Fetches the words of such a screen, now and with each later language. */
export async function withWords(extra: Extra): Promise<void> {
  extras.add(extra);
  if (!isShown) return; // the first language brings them along
  const wanted = language;
  const more = (await extraLoaders[extra][wanted]()).default;
  if (wanted === language) catalogue = { ...catalogue, ...more }; // another language that came meanwhile has its own
}

export function currentLanguage(): Language {
  return language;
}

/** The text of `key`; placeholders are filled, plurals chosen. */
export function t(key: Key, params: Params = {}): string {
  return format(catalogue[key] ?? key, params, language);
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

/** `t`, and a new render when the language changes. */
export function useT(): typeof t {
  useSyncExternalStore(subscribe, currentLanguage);
  return t;
}

/** "3 May 2026" in the language of the page. */
export function date(value: string | number | Date, style: Intl.DateTimeFormatOptions = { dateStyle: "medium" }): string {
  return new Intl.DateTimeFormat(REGIONS[language], style).format(new Date(value));
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

/** "3 days ago"; below a minute "now". */
export function ago(value: string, now = Date.now()): string {
  const seconds = (new Date(value).getTime() - now) / 1000;
  const words = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size) return words.format(Math.trunc(seconds / size), unit);
  }
  return words.format(0, "second");
}

/** "12.4 MB", decimal units as file managers of today count. */
export function bytes(value: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
  let size = value;
  let at = 0;
  while (size >= 1000 && at < units.length - 1) {
    size /= 1000;
    at += 1;
  }
  const digits = at === 0 || size >= 100 ? 0 : 1;
  return new Intl.NumberFormat(language, { style: "unit", unit: units[at] ?? "byte", unitDisplay: at === 0 ? "long" : "short", maximumFractionDigits: digits }).format(size);
}

const SMALL_MONEY = 0.01; // below that two places would say nothing

/** "€0.42"; small sums keep two digits that say something. Without a currency the number alone. */
export function money(amount: string | number, currency?: string | null): string {
  const value = Number(amount);
  const style: Intl.NumberFormatOptions =
    value !== 0 && Math.abs(value) < SMALL_MONEY ? { maximumSignificantDigits: 2 } : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return new Intl.NumberFormat(REGIONS[language], currency ? { style: "currency", currency, ...style } : style).format(value);
}

/** "1:02:40" or "12:40": a length or a place in a recording. */
export function clock(ms: number): string {
  const total = Math.floor(ms / 1000);
  const two = (part: number): string => String(part).padStart(2, "0");
  const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}
