/** How a source is shown, by what it is. */

import type { Source } from "@/shared/api/types";

/** `pages`: a PDF; `scan`: pictures with the text read from them; `slides`: text by slides; the others as they say. */
export type Shape = "pages" | "scan" | "slides" | "table" | "recording" | "text";

/** What an address led to is shown as a file of its kind would be; of pages and pictures behind it only the text is kept. */
const BY_TYPE: readonly (readonly [RegExp, Shape])[] = [
  [/spreadsheet|^text\/csv|tab-separated/, "table"],
  [/presentation/, "slides"],
  [/^(audio|video)\//, "recording"],
];

export function shapeOf({ kind, media_type, pages }: Pick<Source, "kind" | "media_type" | "pages">): Shape {
  if (kind === "pdf") return pages ? "pages" : "text";
  if (kind === "image") return "scan";
  if (kind === "audio") return "recording";
  if (kind !== "office" && kind !== "url") return "text";
  const found = BY_TYPE.find(([type]) => type.test(media_type ?? ""))?.[1] ?? "text";
  return found === "slides" && !pages ? "text" : found;
}

/** How many pages, slides or pictures can be gone to; 0 where the source has none. */
export function pageCount(source: Pick<Source, "kind" | "media_type" | "pages">): number {
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
