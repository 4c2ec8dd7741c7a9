/** A recording that can be heard: one audio element, driven by the page's own controls. */

import { useCallback, useEffect, useMemo, useRef, useState, type AudioHTMLAttributes, type RefObject } from "react";

export const RATES = [0.75, 1, 1.25, 1.5, 2] as const;

export interface Sound {
  readonly atMs: number;
  /** 0 while it is not known. */
  readonly lengthMs: number;
  readonly isPlaying: boolean;
  readonly isBroken: boolean;
  readonly rate: number;
  readonly toggle: () => void;
  readonly play: () => void;
  readonly seek: (ms: number) => void;
  readonly skip: (ms: number) => void;
  readonly setRate: (rate: number) => void;
  /** For the element. */
  readonly events: Pick<AudioHTMLAttributes<HTMLAudioElement>, "onTimeUpdate" | "onSeeking" | "onPlay" | "onPause" | "onError" | "onLoadedMetadata">;
}

/** The sound and the place for its element; `knownMs` is its length, where that is known before anything has loaded. */
export function useSound(knownMs: number | null): [Sound, RefObject<HTMLAudioElement | null>] {
  const element = useRef<HTMLAudioElement>(null);
  const [atMs, setAtMs] = useState(0);
  const [foundMs, setFoundMs] = useState(0);
  const [isPlaying, setPlaying] = useState(false);
  const [isBroken, setBroken] = useState(false);
  const [rate, setRate] = useState(1);
  const lengthMs = knownMs ?? foundMs;
  useEffect(() => {
    if (element.current) element.current.playbackRate = rate;
  }, [rate]);
  const seek = useCallback(
    (ms: number) => {
      const wanted = Math.max(0, lengthMs > 0 ? Math.min(ms, lengthMs) : ms);
      // Before anything has loaded this names the place to begin at.
      if (element.current) element.current.currentTime = wanted / 1000;
      setAtMs(wanted);
    },
    [lengthMs],
  );
  const play = useCallback(() => {
    // Refused only before any gesture, and this is one; a file that cannot be played tells by its error event.
    element.current?.play().catch(() => setPlaying(false));
  }, []);
  const toggle = useCallback(() => {
    if (element.current?.paused) play();
    else element.current?.pause();
  }, [play]);
  const skip = useCallback((ms: number) => seek((element.current?.currentTime ?? 0) * 1000 + ms), [seek]);
  const events = useMemo((): Sound["events"] => {
    const tell = ({ currentTarget }: { currentTarget: HTMLAudioElement }): void => setAtMs(currentTarget.currentTime * 1000);
    return {
      onTimeUpdate: tell,
      onSeeking: tell,
      onPlay: () => setPlaying(true),
      onPause: () => setPlaying(false),
      onError: () => setBroken(true),
      onLoadedMetadata: ({ currentTarget: { duration } }) => Number.isFinite(duration) && setFoundMs(duration * 1000),
    };
  }, []);
  return [{ atMs, lengthMs, isPlaying, isBroken, rate, toggle, play, seek, skip, setRate, events }, element];
}
