/** Contrast of colours, by WCAG 2.2's relative luminance. */

/** Stands out from light and from dark pages. */
export const DEFAULT_COLOUR = "#2566c8";
const WHITE = "#ffffff";
const INK = "#1d1f23";
/** WCAG 1.4.11: a control must stand out from the page. */
export const STANDS_OUT = 3;

/** `#rrggbb` in lower case; null for anything else. */
export function colourOf(given: unknown): string | null {
  return typeof given === "string" && /^#[0-9a-f]{6}$/i.test(given.trim()) ? given.trim().toLowerCase() : null;
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** 1 to 21. */
export function contrast(one: string, other: string): number {
  const [light = 1, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** The colour of words on `colour`: white or ink, whichever reads better. One of them always reaches 4.1; white wins from 4.5 on. */
export function inkOn(colour: string): string {
  const onWhite = contrast(WHITE, colour);
  return onWhite >= 4.5 || onWhite >= contrast(INK, colour) ? WHITE : INK;
}
