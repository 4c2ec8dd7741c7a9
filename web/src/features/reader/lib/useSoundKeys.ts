/** Space plays, arrows move by five seconds: unless the key means something to what has the focus. */

import { useEffect, useRef } from "react";
import { isTyping, keyName, keysAreOff } from "@/shared/lib/shortcuts";
import type { Sound } from "./useSound";

const STEP_MS = 5000;
const OWN_SPACE = "button, a, input, select, summary, [role=tab]";

export function useSoundKeys(sound: Sound, isOn: boolean): void {
  const latest = useRef(sound);
  useEffect(() => {
    latest.current = sound;
  });
  useEffect(() => {
    if (!isOn) return;
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || keysAreOff() || isTyping(event.target)) return;
      const target = event.target instanceof Element ? event.target : null;
      const name = keyName(event);
      if (name === " " && target?.closest(OWN_SPACE)) return;
      if (name.startsWith("Arrow") && target?.closest("input, select, [role=tablist], [role=dialog]")) return;
      const run = { " ": latest.current.toggle, ArrowLeft: () => latest.current.skip(-STEP_MS), ArrowRight: () => latest.current.skip(STEP_MS) }[name];
      if (!run || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      run();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [isOn]);
}
