/** How long is waited between tries while the connection is away, and what ends the trying. */

const WAITS_MS = [300, 1000, 2000, 4000, 8000]; // the last one repeats

/** Tries after which the longest wait was reached. */
export const STEPS = WAITS_MS.length;

/** Waits before the try after this many. */
export function waitBefore(tries: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, WAITS_MS[Math.min(tries, STEPS - 1)]));
}

const GONE: ReadonlySet<number> = new Set([401, 403, 404]);

/** Gone, or not ours any more: nothing to wait for. */
export const isGone = (status: number): boolean => GONE.has(status);
