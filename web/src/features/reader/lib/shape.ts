/** How a source is shown, by what it is. */

import type { Source, SourceKind } from "@/shared/api/types";

/** `pages`: a PDF; `scan`: pictures with the text read from them; `slides`: text by slides; the others as they say. */
export type Shape = "pages" | "scan" | "slides" | "table" | "recording" | "text";

type Told = Pick<Source, "kind" | "media_type" | "pages">;

const BY_TYPE: readonly (readonly [RegExp, SourceKind])[] = [
  [/^application\/pdf/, "pdf"],
  [/^image\//, "image"],
  [/^(audio|video)\//, "audio"],
  [/officedocument|opendocument|^text\/csv|tab-separated|epub|rfc822|rtf/, "office"],
];

/** The kind of the file: an address may have led to any. */
export function fileKind({ kind, media_type }: Pick<Source, "kind" | "media_type">): SourceKind {
  return (kind === "url" && BY_TYPE.find(([type]) => type.test(media_type ?? ""))?.[1]) || kind;
}

const TABLES = /spreadsheet|^text\/csv|tab-separated/;
const SLIDES = /presentation/;

export function shapeOf(source: Told): Shape {
  const kind = fileKind(source);
  if (kind === "pdf") return source.pages ? "pages" : "text";
  if (kind === "image") return "scan";
  if (kind === "audio") return "recording";
  if (kind !== "office") return "text";
  if (TABLES.test(source.media_type ?? "")) return "table";
  return SLIDES.test(source.media_type ?? "") && source.pages ? "slides" : "text";
}

/** How many pages, slides or pictures can be gone to; 0 where the source has none. */
export function pageCount(source: Told): number {
  const shape = shapeOf(source);
  if (shape === "scan") return Math.max(1, source.pages ?? 1);
  return shape === "pages" || shape === "slides" ? (source.pages ?? 0) : 0;
}

/** Whether there are pictures of pages beside the text. */
export const hasPictures = (shape: Shape): boolean => shape === "pages" || shape === "scan";

export type View = "pages" | "text" | "table" | "recording";

export interface Wanted {
  /** What the person chose, null before. */
  readonly chosen: "pages" | "text" | null;
  /** A picture could not be read on this screen, or the reading is an earlier one: the text comes first. */
  readonly isTextFirst: boolean;
  /** The file that was read is still there: pictures can be drawn. */
  readonly hasFile: boolean;
}

/** Pictures of pages where there is room for them and the file is there; else the stored text. */
export function viewOf(shape: Shape, { chosen, isTextFirst, hasFile }: Wanted): View {
  if (shape === "table" || shape === "recording") return shape;
  if (!hasPictures(shape) || !hasFile) return "text";
  return chosen ?? (isTextFirst ? "text" : "pages");
}
