/** Which columns stand, slide over or shrink to a rail, by the width of the window (B6). */
import { useCallback, useState } from "react";
import { NARROW, useMedia, WIDE } from "@/shared/lib/media";
import { useRemembered } from "@/shared/lib/remembered";

export type Mode = "wide" | "middle" | "narrow";
export type Tab = "sources" | "chat" | "studio";
export type Side = "sources" | "studio";
export type Shape = "column" | "rail" | "none";

export const EDGE_MIN = 240;
export const EDGE_MAX = 420;

export interface Layout {
  mode: Mode;
  shape: Record<Side, Shape>;
  widths: Record<Side, number>;
  setWidth: (side: Side, px: number) => void;
  /** The side that lies over the others just now. */
  over: Side | null;
  show: (side: Side) => void;
  hide: (side: Side) => void;
  tab: Tab;
  setTab: (tab: Tab) => void;
}

const SOURCES_PX = 296;
const SOURCES_MIDDLE_PX = 272;
const STUDIO_PX = 328;

export function useLayout(readerIsOpen: boolean): Layout {
  const isWide = useMedia(WIDE);
  const isNarrow = useMedia(NARROW);
  const mode: Mode = isNarrow ? "narrow" : isWide ? "wide" : "middle";
  const [sources, setSources] = useRemembered<number>("width.sources", SOURCES_PX);
  const [studio, setStudio] = useRemembered<number>("width.studio", STUDIO_PX);
  const [sourcesClosed, setSourcesClosed] = useRemembered<boolean>("closed.sources", false);
  const [studioClosed, setStudioClosed] = useRemembered<boolean>("closed.studio", false);
  const [over, setOver] = useState<Side | null>(null);
  const [tab, setTab] = useState<Tab>("chat");

  const shape: Layout["shape"] = shapes(mode, readerIsOpen, sourcesClosed, studioClosed);
  const stands = (side: Side): boolean => !readerIsOpen && (side === "sources" ? mode !== "narrow" : mode === "wide");
  const setClosed = (side: Side, closed: boolean): void => (side === "sources" ? setSourcesClosed(closed) : setStudioClosed(closed));
  const setWidth = useCallback(
    (side: Side, px: number) => {
      const within = Math.round(Math.min(EDGE_MAX, Math.max(EDGE_MIN, px)));
      if (side === "sources") setSources(within);
      else setStudio(within);
    },
    [setSources, setStudio],
  );
  return {
    mode,
    shape,
    widths: { sources: mode === "middle" ? Math.min(sources, SOURCES_MIDDLE_PX) : sources, studio },
    setWidth,
    over: over && shape[over] !== "column" ? over : null,
    show: (side) => (stands(side) ? setClosed(side, false) : setOver(side)),
    hide: (side) => {
      setOver(null);
      if (stands(side)) setClosed(side, true);
    },
    tab,
    setTab,
  };
}

function shapes(mode: Mode, readerIsOpen: boolean, sourcesClosed: boolean, studioClosed: boolean): Layout["shape"] {
  if (mode === "narrow") return { sources: "column", studio: "column" };
  if (readerIsOpen) return { sources: "rail", studio: "none" };
  return {
    sources: sourcesClosed ? "rail" : "column",
    studio: mode === "middle" || studioClosed ? "rail" : "column",
  };
}
