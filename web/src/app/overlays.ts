/** Which of the two overlays of the whole page is open: the key sheet or the commands. */

export type Overlay = "keys" | "commands" | null;

let open: Overlay = null;
const listeners = new Set<() => void>();

export function currentOverlay(): Overlay {
  return open;
}

export function subscribeOverlay(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

function show(next: Overlay): void {
  open = next;
  for (const tell of listeners) tell();
}

export const openKeys = (): void => show("keys");
export const openCommands = (): void => show("commands");
export const closeOverlay = (): void => show(null);
