/** Short words after a deed, with a way back; one at a time, the newest wins. */

export interface Toast {
  id: number;
  text: string;
  tone?: "plain" | "error";
  action?: { label: string; run: () => void };
}

let shown: Toast | null = null;
let next = 1;
const listeners = new Set<() => void>();

export function toast(text: string, options: Omit<Toast, "id" | "text"> = {}): void {
  show({ id: next, text, ...options });
  next += 1;
}

export function dismissToast(): void {
  show(null);
}

export function currentToast(): Toast | null {
  return shown;
}

export function subscribeToast(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}

function show(value: Toast | null): void {
  shown = value;
  for (const tell of listeners) tell();
}
