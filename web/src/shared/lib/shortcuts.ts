/** Single keys, as the sheet under `?` lists them: never while typing, never in an IME composition, off when switched off. */
import { useEffect, useRef } from "react";

export type Shortcuts = Record<string, (event: KeyboardEvent) => void>;

const never = (): boolean => false;

const OFF = "sourcebook.keys.off";

export function keysAreOff(): boolean {
  return localStorage.getItem(OFF) === "true";
}

/** "Mod+k", "Shift+/" would be "?": the character as typed, with Mod for Ctrl or Cmd. */
export function keyName(event: KeyboardEvent): string {
  const mod = event.ctrlKey || event.metaKey ? "Mod+" : "";
  const alt = event.altKey ? "Alt+" : "";
  const shift = event.shiftKey && (mod || event.key.length > 1) ? "Shift+" : "";
  return `${mod}${alt}${shift}${event.key.length === 1 ? event.key.toLowerCase() : event.key}`;
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !["checkbox", "radio", "button", "submit", "range"].includes(target.type);
}

/**
 * Listens while mounted. Keys with Mod also fire while typing; nothing fires under an open dialog unless it asks itself.
 * `isTaken`: whether a key means something else to what has the focus.
 */
export function useShortcuts(shortcuts: Shortcuts, enabled = true, isTaken: (name: string, target: Element) => boolean = never): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    if (!enabled) return;
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || keysAreOff()) return;
      const name = keyName(event);
      const run = latest.current[name];
      if (!run || (!name.startsWith("Mod+") && isTyping(event.target))) return;
      if (event.target instanceof Element && isTaken(name, event.target)) return;
      if (document.querySelector("dialog[open]")) return;
      event.preventDefault();
      run(event);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [enabled, isTaken]);
}
