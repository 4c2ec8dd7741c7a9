import { Icon } from "@/shared/ui/Icon";
import type { MarkState } from "../lib/statements";
import { verdictIcon } from "../lib/verdict";

/** The sign of a verdict: ✓ ◐ ≠ ✕, or nothing where there is none. */
export function VerdictIcon({ state, size }: { state: MarkState; size: 12 | 16 }) {
  const name = verdictIcon(state);
  if (name !== "half") return name ? <Icon name={name} size={size} /> : null;
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" focusable="false" fill="none" stroke="currentColor" strokeWidth="2.4">
      <circle cx="10" cy="10" r="6.8" />
      <path d="M10 3.200a6.800 6.800 0 0 0 0 13.600z" fill="currentColor" stroke="none" />
    </svg>
  );
}
