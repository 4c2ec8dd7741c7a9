/** A value kept in this browser for this person: widths, ticks, dismissed strips. Never anything secret. */
import { useCallback, useSyncExternalStore } from "react";

const PREFIX = "sourcebook.";
const listeners = new Set<() => void>();
const cache = new Map<string, { text: string | null; value: unknown }>();

function read<T>(key: string, otherwise: T): T {
  const text = localStorage.getItem(PREFIX + key);
  const known = cache.get(key);
  if (known && known.text === text) return known.value as T;
  let value: T = otherwise;
  try {
    if (text !== null) value = JSON.parse(text) as T;
  } catch {
    // written by another version: start anew
  }
  cache.set(key, { text, value });
  return value;
}

export function remember(key: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // storage is full or forbidden: the value lasts until the next reload
  }
  for (const tell of listeners) tell();
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  addEventListener("storage", tell);
  return () => {
    listeners.delete(tell);
    removeEventListener("storage", tell);
  };
}

/** Like useState, kept over reloads and shared between tabs. `otherwise` must keep its identity between renders. */
export function useRemembered<T>(key: string, otherwise: T): [T, (next: T) => void] {
  const value = useSyncExternalStore(subscribe, () => read(key, otherwise));
  const set = useCallback((next: T) => remember(key, next), [key]);
  return [value, set];
}
