/** Which part of a transcript a moment of the recording belongs to. */

export interface Timed {
  readonly start_ms?: number | null;
  readonly end_ms?: number | null;
}

/** Whether the times of a recording's parts are known. */
export const hasTimes = (parts: readonly Timed[]): boolean => parts.some((part) => typeof part.start_ms === "number");

/** Index of the part that is heard at `ms`: the last one that began by then; -1 before the first. Parts are in order. */
export function partAt(parts: readonly Timed[], ms: number): number {
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const start = parts[middle]?.start_ms ?? Infinity;
    if (start <= ms) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
