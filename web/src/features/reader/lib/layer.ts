/** Where the words of a page lie on its picture, so that the unseen text is selected like the seen one. */

import type { PageWords } from "@/shared/api/types";

export interface LaidWord {
  readonly text: string;
  readonly start: number;
  /** Fractions of the page. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** What follows in copied text: a blank, a line end, or nothing inside a parted word. */
  readonly after: string;
}

type Word = PageWords["items"][number];

/** A word begins a new line when it stands lower, or back at the left. */
function isNewLine(word: Word, next: Word): boolean {
  const middle = (next.y0 + next.y1) / 2;
  return middle > word.y1 || middle < word.y0 || next.x0 < word.x0;
}

function after(word: Word, next: Word | undefined): string {
  if (!next) return "";
  if (isNewLine(word, next)) return word.text.endsWith("\u00ad") ? "" : "\n";
  return next.start > word.end ? " " : "";
}

export function layWords(items: readonly Word[]): readonly LaidWord[] {
  return items.map((word, at) => ({
    text: word.text.replace(/\u00ad$/, ""),
    start: word.start,
    x: word.x0,
    y: word.y0,
    width: Math.max(0, word.x1 - word.x0),
    height: Math.max(0, word.y1 - word.y0),
    after: after(word, items[at + 1]),
  }));
}

let ruler: CanvasRenderingContext2D | null | undefined;

/** Width of `text` in pixels at `size` px in the layer's font; 0 where the browser cannot tell. */
export function widthOf(text: string, size: number): number {
  ruler ??= document.createElement("canvas").getContext("2d");
  if (!ruler) return 0;
  ruler.font = `${size}px sans-serif`;
  return ruler.measureText(text).width;
}
