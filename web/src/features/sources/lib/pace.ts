/** How long reading will still take: from steps measured in this browser, said only after three of them. */

interface Track {
  step: string;
  samples: { done: number; at: number }[];
}

const tracks = new Map<string, Track>();
const KEPT = 8; // the last steps only: pages of one book differ, and a slow start should be forgotten
const NEEDED = 4; // three measured steps lie between four samples

/** Notes that `done` steps were done at `at` (ms). A new step of the work begins a new measurement. */
export function notePace(id: string, step: string, done: number, at = Date.now()): void {
  const track = tracks.get(id);
  if (!track || track.step !== step || done < (track.samples.at(-1)?.done ?? 0)) {
    tracks.set(id, { step, samples: [{ done, at }] });
    return;
  }
  if (track.samples.at(-1)?.done === done) return;
  track.samples.push({ done, at });
  if (track.samples.length > KEPT) track.samples.shift();
}

/** Seconds left for the steps up to `total`, or null while too little was measured. */
export function secondsLeft(id: string, total: number | null): number | null {
  const samples = tracks.get(id)?.samples ?? [];
  const first = samples[0];
  const last = samples.at(-1);
  if (total === null || samples.length < NEEDED || !first || !last || last.done <= first.done) return null;
  return Math.max(0, (((last.at - first.at) / (last.done - first.done)) * (total - last.done)) / 1000);
}
