import { useEffect, useRef } from "react";
import { useT } from "@/shared/i18n/i18n";
import { usePlacement } from "@/shared/ui/placement";
import { NARROW, useMedia } from "@/shared/lib/media";
import { closeCard, holdCard, leaveCard, useCard, type ShownCard } from "../lib/card";
import { placeMark } from "../lib/marks";
import type { CardHost } from "../lib/scope";
import { CardContent } from "./CardContent";
import styles from "./CitationCard.module.css";

/** The place of the one citation card: beside its mark, or a sheet at the bottom of a narrow screen. */
export function CitationCard({ host = "chat" }: { host?: CardHost }) {
  const card = useCard();
  return card && (card.scope.host ?? "chat") === host ? <Shown key={`${card.scope.turnKey} ${card.key}`} card={card} /> : null;
}

function Shown({ card }: { card: ShownCard }) {
  const t = useT();
  const float = useRef<HTMLDivElement>(null);
  const anchor = useRef<HTMLElement | null>(card.anchor);
  const isSheet = useMedia(NARROW);
  useEffect(() => {
    float.current?.showPopover?.();
  }, []);
  usePlacement(anchor, float, !isSheet, { align: "start", gap: 4 });
  useClosing(card, float);
  const mark = placeMark(card, card.scope.citations, card.scope.statements, card.scope.isChecked);
  if (!mark) return null;
  return (
    <div
      ref={float}
      popover="manual"
      role="dialog"
      aria-label={t("card.name", { n: card.n })}
      data-testid="citation-card"
      className={[styles.card, isSheet ? styles.sheet : ""].join(" ")}
      onPointerEnter={holdCard}
      onPointerLeave={(event) => event.pointerType === "mouse" && !isSheet && card.via === "pointer" && leaveCard()}
      onFocus={holdCard}
      onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && event.relatedTarget !== card.anchor && leaveCard()}
    >
      <CardContent card={card} mark={mark} isSheet={isSheet} />
    </div>
  );
}

/** Esc closes and leaves the focus at the mark; so does a press elsewhere, and the mark leaving the page. */
function useClosing(card: ShownCard, float: React.RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const press = (event: PointerEvent): void => {
      const target = event.target as Node;
      if (!float.current?.contains(target) && !card.anchor.contains(target)) closeCard();
    };
    const key = (event: KeyboardEvent): void => {
      // A dialog that opened over the card takes the key.
      const dialog = document.querySelector("dialog[open]");
      if (event.key !== "Escape" || event.isComposing || (dialog && !dialog.contains(card.anchor))) return;
      event.preventDefault();
      event.stopPropagation();
      if (float.current?.contains(document.activeElement)) card.anchor.focus();
      closeCard();
    };
    document.addEventListener("pointerdown", press, true);
    document.addEventListener("keydown", key, true);
    return () => {
      document.removeEventListener("pointerdown", press, true);
      document.removeEventListener("keydown", key, true);
      if (!card.anchor.isConnected) closeCard();
    };
  }, [card, float]);
}
