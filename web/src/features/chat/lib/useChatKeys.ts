/** The keys of the chat; the sheet under `?` lists them. */

import type { RefObject } from "react";
import { useLocation } from "wouter";
import { useShortcuts } from "@/shared/lib/shortcuts";
import { copyAnswer } from "../components/Summary";
import { jumpToMark, jumpToNextDoubt } from "./jump";
import type { ShownTurn } from "./shown";
import { newChatAddress } from "./useAddress";

export interface ChatKeys {
  field: RefObject<HTMLTextAreaElement | null>;
  last: ShownTurn | null;
  isReaderOpen: boolean;
  isRunning: boolean;
  onStop: () => void;
  notebookId: string;
}

export function useChatKeys({ field, last, isReaderOpen, isRunning, onStop, notebookId }: ChatKeys): void {
  const [, navigate] = useLocation();
  const startAnew = (): void => {
    navigate(newChatAddress(notebookId));
    field.current?.focus();
  };
  useShortcuts({
    "/": () => field.current?.focus(),
    n: startAnew,
    "Mod+Shift+o": startAnew,
    c: () => last && void copyAnswer(last.turn),
    s: () => pressLast("save-note"),
  });
  // With the reader open these keys are the reader's.
  useShortcuts({ "[": () => jumpToMark(-1), "]": () => jumpToMark(1), x: () => jumpToNextDoubt(null) }, !isReaderOpen);
  useShortcuts({ Escape: onStop }, isRunning && !isReaderOpen);
}

/** The button under the last answer does what its key does, and is only there where it can. */
function pressLast(name: string): void {
  [...document.querySelectorAll<HTMLButtonElement>(`[data-testid="${name}"]`)].at(-1)?.click();
}
