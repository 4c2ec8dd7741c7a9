/** Whether the server can be reached: told by every request, asked again every 5 s while it cannot. */
import { useSyncExternalStore } from "react";

let reachable = true;
const listeners = new Set<() => void>();

export function reached(now: boolean): void {
  if (reachable === now) return;
  reachable = now;
  for (const tell of listeners) tell();
}

export function isReachable(): boolean {
  return reachable;
}

export function subscribeReachable(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

export function useReachable(): boolean {
  return useSyncExternalStore(subscribeReachable, isReachable);
}
