/** Words for where something stands in its source: page, slide, picture, rows of a sheet, time of a recording, headings. */

import type { t as translate } from "@/shared/i18n/i18n";

type T = typeof translate;

/** What citations and passages know about their place. */
export interface Place {
  readonly kind: string;
  readonly source_title?: string | null | undefined;
  readonly page?: number | null | undefined;
  readonly heading?: string | null | undefined;
  readonly sheet?: string | null | undefined;
  /** First and last row, from 1. */
  readonly rows?: readonly number[] | null | undefined;
  readonly start_ms?: number | null | undefined;
  readonly layer?: string | null | undefined;
}

/** "12:40", "1:02:40" from an hour on. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number): string => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** "Page 3", "Slide 3" or "Picture 3", as the kind counts. */
export function pageWords(kind: string, page: number, t: T): string {
  if (kind === "office") return t("card.slide", { n: page });
  return t(kind === "image" ? "card.pictureNth" : "card.page", { n: page });
}

function rowWords(rows: readonly number[], t: T): string {
  const [first = 0, last = first] = rows;
  // Row numbers are names, not amounts: "4711" stands so in the file as well.
  return first === last ? t("card.row", { n: String(first) }) : t("card.rows", { first: String(first), last: String(last) });
}

function sheetWords({ sheet, rows }: Place, t: T): string {
  const row = rows ? rowWords(rows, t) : "";
  if (sheet) return row ? `${sheet}, ${row}` : sheet;
  return row.charAt(0).toUpperCase() + row.slice(1);
}

/** "Measures › Speed limits"; without the title of the source where the headings begin with it: it stands beside. */
function headingWords({ heading, source_title: title }: Place): string {
  const path = heading?.split(" > ") ?? [];
  return (path[0]?.trim() === title?.trim() ? path.slice(1) : path).join(" › ");
}

/** "Page 17 · Measures › Speed limits", "Sheet 2, row 41", "12:40", "Your note"; empty when nothing is known. */
export function locator(place: Place, t: T): string {
  const parts = [
    place.kind === "note" ? t("card.note") : "",
    place.page ? pageWords(place.kind, place.page, t) : place.kind === "image" ? t("card.picture") : "",
    headingWords(place),
    sheetWords(place, t),
    typeof place.start_ms === "number" ? clock(place.start_ms) : "",
    place.layer === "local" ? t("card.localCopy") : "",
  ];
  return parts.filter(Boolean).join(" · ");
}
