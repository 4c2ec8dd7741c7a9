/** Space plays, arrows move by five seconds: unless the key means something to what has the focus. */

import { useShortcuts } from "@/shared/lib/shortcuts";
import type { Sound } from "./useSound";

const STEP_MS = 5000;
const OWN_SPACE = "button, a, input, select, summary, [role=tab]";
const OWN_ARROWS = "input, select, [role=tablist], [role=dialog]";

const isTaken = (name: string, target: Element): boolean => target.closest(name === " " ? OWN_SPACE : OWN_ARROWS) !== null;

export function useSoundKeys(sound: Sound, isOn: boolean): void {
  useShortcuts({ " ": sound.toggle, ArrowLeft: () => sound.skip(-STEP_MS), ArrowRight: () => sound.skip(STEP_MS) }, isOn, isTaken);
}
