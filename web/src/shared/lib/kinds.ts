/** What a source looks like to a person: finer than its kind, because the media type says which office file it is. */
import { t, type Key } from "@/shared/i18n/i18n";
import type { IconName } from "@/shared/ui/Icon";

export const LOOKS = ["pdf", "document", "slides", "table", "book", "mail", "page", "picture", "recording", "markdown", "text", "generated"] as const;
export type Look = (typeof LOOKS)[number];

/** What a look is told from; the rows of all lists have it. */
export interface Kinded {
  kind: string;
  media_type?: string | null;
}

// Ends of media types of office files; the vendors' long names differ in what stands before.
const OFFICE: [RegExp, Look][] = [
  [/csv|tab-separated-values|sheet|spreadsheet|excel/, "table"],
  [/presentation|powerpoint/, "slides"],
  [/epub/, "book"],
  [/rfc822|outlook/, "mail"],
  [/html/, "page"],
];
// What an address may lead to besides a page.
const FILES: [RegExp, Look][] = [
  [/^application\/pdf/, "pdf"],
  [/^image\//, "picture"],
  [/^(audio|video)\//, "recording"],
  [/^text\/markdown/, "markdown"],
  [/^text\/plain/, "text"],
  [/word|opendocument\.text|rtf/, "document"],
];
const BY_KIND: Record<string, Look> = { pdf: "pdf", markdown: "markdown", text: "text", image: "picture", audio: "recording", generated: "generated", note: "generated" };

export function lookOf({ kind, media_type }: Kinded): Look {
  const known = BY_KIND[kind];
  if (known) return known;
  const types = kind === "url" ? [...FILES, ...OFFICE] : OFFICE;
  return types.find(([part]) => part.test(media_type ?? ""))?.[1] ?? (kind === "url" ? "page" : "document");
}

const ICONS: Record<Look, IconName> = {
  pdf: "file", document: "document", slides: "slides", table: "table", book: "book", mail: "mail", page: "globe", picture: "image", recording: "sound", markdown: "text", text: "text", generated: "spark",
};

export const iconOf = (source: Kinded): IconName => ICONS[lookOf(source)];
export const lookName = (look: Look): string => t(`kind.${look}` as Key);
export const kindName = (source: Kinded): string => lookName(lookOf(source));
