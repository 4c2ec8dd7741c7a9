/** Opening the reader from a mark, and coming back: the scroll place and the focus are as they were. */

import { useCallback, useLayoutEffect, type RefObject } from "react";
import { useLocation, useRoute, useSearch } from "wouter";
import { citedAddress, readerPlace } from "@/features/citations/lib/address";
import { closeCard, focusQuietly } from "@/features/citations/lib/card";
import { placeMark, spotAt, type PlacedMark } from "@/features/citations/lib/marks";
import { forgetReturn, rememberReturn, returnPlace } from "@/features/citations/lib/returning";
import { marksOnPage } from "@/features/citations/lib/scope";
import { placeStatements } from "@/features/citations/lib/statements";
import { live } from "./live";
import { bring } from "@/features/citations/lib/bring";
import type { ChatTurn } from "./request";
import type { ShownTurn } from "./shown";

/** The citation and the use that a mark of a turn's answer stands for. */
export function markAt(mark: HTMLElement, turn: ChatTurn): PlacedMark | null {
  return placeMark(spotAt(mark), turn.citations, placeStatements(turn.answer ?? "", turn.checks), turn.checks !== null);
}

function addressOf(mark: HTMLElement, { turn, key }: ShownTurn): string | null {
  const placed = markAt(mark, turn);
  if (!placed) return null;
  return citedAddress(turn.notebook_id, placed.citation, placed.use, { turn: turn.id, mark: marksOnPage(key).indexOf(mark), conversation: turn.conversation_id });
}

export function useReader(box: RefObject<HTMLDivElement | null>, isReady: boolean, settle: () => void): { isOpen: boolean; open: (mark: HTMLElement, shown: ShownTurn) => void } {
  const [, navigate] = useLocation();
  const [isOpen] = useRoute("/n/:id/s/:source");
  const open = useCallback(
    (mark: HTMLElement, shown: ShownTurn) => {
      const address = addressOf(mark, shown);
      if (!address) return;
      closeCard();
      // From one mark to the next while the reader is open is one step of the way, not two.
      if (!isOpen) rememberReturn({ turnId: shown.turn.id, mark: marksOnPage(shown.key).indexOf(mark), top: box.current?.scrollTop ?? null });
      navigate(address, { replace: isOpen, state: { fromChat: true } });
    },
    [box, isOpen, navigate],
  );
  useOpenMark(isOpen, isReady, settle);
  useReturning(box, isOpen, isReady, settle);
  return { isOpen, open };
}

/** While the reader is open the mark it shows is in view and pointed out, also when the person steps on from there. */
function useOpenMark(isOpen: boolean, isReady: boolean, settle: () => void): void {
  const search = useSearch();
  useLayoutEffect(() => {
    const { turn, mark: index } = readerPlace(search);
    if (!isOpen || !isReady || !turn || index === null) return;
    const mark = marksOnPage(live.keyOf(turn))[index];
    if (!mark) return;
    mark.dataset["reading"] = "";
    bring(mark, "center");
    settle();
    return () => {
      delete mark.dataset["reading"];
    };
  }, [isOpen, isReady, search, settle]);
}

/** Back from the reader: the conversation stands where it stood, the focus is on the mark. */
function useReturning(box: RefObject<HTMLDivElement | null>, isOpen: boolean, isReady: boolean, settle: () => void): void {
  useLayoutEffect(() => {
    if (isOpen || !isReady || !box.current) return;
    const place = returnPlace();
    const mark = place ? marksOnPage(live.keyOf(place.turnId))[place.mark] : undefined;
    if (!place || !mark) return;
    forgetReturn();
    if (place.top === null) bring(mark, "center");
    else box.current.scrollTo({ top: place.top, behavior: "instant" });
    settle();
    focusQuietly(mark);
  }, [isOpen, isReady, box, settle]);
}
