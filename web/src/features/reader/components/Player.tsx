import type { RefObject } from "react";
import { clock } from "@/features/citations/lib/locator";
import { currentLanguage, useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { IconButton } from "@/shared/ui/IconButton";
import { RATES, type Sound } from "../lib/useSound";
import styles from "./Recording.module.css";

const SKIP_MS = 15_000;

/** Play, fifteen seconds either way, the place in the recording, the speed. */
export function Player({ sound, element, url, onFollow }: { sound: Sound; element: RefObject<HTMLAudioElement | null>; url: string; onFollow: (() => void) | null }) {
  const t = useT();
  const { atMs, lengthMs, isPlaying, rate } = sound;
  const time = t("reader.timeOf", { at: clock(atMs), end: lengthMs > 0 ? clock(lengthMs) : "–" });
  return (
    <div className={styles.player} role="group" aria-label={t("reader.player")} data-testid="player">
      {/* The transcript below is the caption of the recording. */}
      <audio ref={element} src={url} preload="metadata" data-testid="sound" {...sound.events} />
      <IconButton icon={isPlaying ? "pause" : "play"} keys="Space" className={styles.play} label={t(isPlaying ? "reader.pause" : "reader.play")} onClick={sound.toggle} data-testid="play" />
      <Button small look="quiet" className={styles.skip} aria-label={t("reader.back15")} onClick={() => sound.skip(-SKIP_MS)}>
        −15
      </Button>
      <Button small look="quiet" className={styles.skip} aria-label={t("reader.on15")} onClick={() => sound.skip(SKIP_MS)}>
        +15
      </Button>
      <input
        type="range"
        className={styles.place}
        min={0}
        max={Math.max(1, Math.round(lengthMs / 1000))}
        step={1}
        value={Math.round(atMs / 1000)}
        aria-label={t("reader.position")}
        aria-valuetext={time}
        onChange={(event) => sound.seek(Number(event.target.value) * 1000)}
      />
      <span className={styles.time} aria-hidden="true">
        {time}
      </span>
      <select className={styles.speed} value={rate} aria-label={t("reader.speed")} onChange={(event) => sound.setRate(Number(event.target.value))}>
        {RATES.map((value) => (
          <option key={value} value={value}>
            {`${new Intl.NumberFormat(currentLanguage()).format(value)}×`}
          </option>
        ))}
      </select>
      {onFollow ? (
        <Button small look="link" className={styles.follow} onClick={onFollow}>
          {t("reader.follow")}
        </Button>
      ) : null}
    </div>
  );
}
