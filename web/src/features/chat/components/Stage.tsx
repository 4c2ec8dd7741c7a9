import { useEffect, useRef } from "react";
import { announce } from "@/shared/lib/announce";
import { t as translate, useT } from "@/shared/i18n/i18n";
import type { LiveTurn } from "../lib/live";
import styles from "./Turn.module.css";

const QUIET_MS = 5000; // stage changes are read out at most this often

function words(live: LiveTurn, sources: number): string {
  const { growing } = live;
  if (live.isAway) return translate("chat.away");
  if (live.isStopping) return translate("chat.stopping");
  switch (growing.phase) {
    case "searching":
      return translate("chat.searching", { n: live.request.sourceIds?.length ?? sources });
    case "reading":
      return growing.passages ? translate("chat.reading", { n: growing.passages }) : translate("chat.writing");
    case "checking":
      return translate("chat.checking", { n: growing.citations.length });
    default:
      return translate("chat.writing");
  }
}

/** What is being done for a question right now, with its count. */
export function Stage({ live, sources }: { live: LiveTurn; sources: number }) {
  useT();
  const text = words(live, sources);
  const lastSaid = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, lastSaid.current + QUIET_MS - performance.now());
    const timer = setTimeout(() => {
      lastSaid.current = performance.now();
      announce(text);
    }, wait);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <p className={styles.stage} data-testid="stage">
      <span className={styles.dot} aria-hidden="true" />
      {text}
    </p>
  );
}
