import { memo, useCallback, useEffect, useRef, type RefObject } from "react";
import { clock } from "@/features/citations/lib/locator";
import type { Passage, Source } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Icon } from "@/shared/ui/Icon";
import { Note } from "@/shared/ui/Note";
import { Trouble } from "@/shared/ui/Trouble";
import { rangeIn, type Goal } from "../lib/goal";
import { soundUrl, useAllPassages } from "../lib/queries";
import { hasTimes, partAt } from "../lib/recording";
import { useBringGoal } from "../lib/useBringGoal";
import { useFollowing } from "../lib/useFollowing";
import { useSound, type Sound } from "../lib/useSound";
import { useSoundKeys } from "../lib/useSoundKeys";
import { Words } from "./PassageView";
import { Player } from "./Player";
import styles from "./Recording.module.css";

export interface RecordingViewProps {
  source: Source;
  reading: string | null;
  goal: Goal | null;
  scroller: RefObject<HTMLDivElement | null>;
  /** The recording that was read can still be heard. */
  hasFile: boolean;
  isNarrow: boolean;
  onMarked: (isMarked: boolean) => void;
}

const NONE: readonly Passage[] = [];

/** A recording with its transcript in parts: a press on one plays from there, the cited one is marked. */
export function RecordingView({ source, reading, goal, scroller, hasFile, isNarrow, onMarked }: RecordingViewProps) {
  const t = useT();
  const query = useAllPassages(source.id, reading, true);
  const parts = query.data ?? NONE;
  const [sound, element] = useSound(source.duration_ms);
  const canPlay = hasFile && !sound.isBroken;
  const isTimed = hasTimes(parts);
  const heard = isTimed && canPlay ? partAt(parts, sound.atMs) : -1;
  const { isFollowing, follow } = useFollowing(scroller, heard, sound.isPlaying);
  useSoundKeys(sound, canPlay);
  useBringGoal(scroller, goal, parts.some((part) => part.passage === goal?.at.passage), onMarked);
  useBeginning(sound, goal, parts);
  const { seek, play } = sound;
  const playFrom = useCallback(
    (ms: number) => {
      seek(ms);
      follow();
      play();
    },
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `follow` only sets a state
    [seek, play],
  );
  if (query.isError && parts.length === 0) return <Trouble error={query.error} onRetry={() => void query.refetch()} />;
  const transcript = (
    <section key="transcript" className={styles.transcript} aria-label={t("reader.transcript")} data-timed={isTimed || undefined} data-testid="transcript">
      {query.isPending ? <p className={styles.quiet}>{t("reader.loading")}</p> : null}
      {query.isSuccess && !isTimed ? <p className={styles.quiet}>{t("reader.noTimes")}</p> : null}
      {sound.isBroken ? <Note icon="warning">{t("reader.soundFailed")}</Note> : null}
      {parts.map((part, at) => (
        <Part key={part.passage} part={part} at={at} isHeard={at === heard} goal={goal?.at.passage === part.passage ? goal : null} onPlay={canPlay ? playFrom : null} />
      ))}
    </section>
  );
  const player = canPlay ? <Player key="player" sound={sound} element={element} url={soundUrl(source.id)} onFollow={sound.isPlaying && !isFollowing ? follow : null} /> : null;
  return <div className={styles.recording}>{isNarrow ? [transcript, player] : [player, transcript]}</div>;
}

/** A new citation sets the player to where its part begins. */
function useBeginning(sound: Sound, goal: Goal | null, parts: readonly Passage[]): void {
  const done = useRef(-1);
  const { seek } = sound;
  useEffect(() => {
    const part = parts.find((known) => known.passage === goal?.at.passage);
    if (!goal || !part || done.current === goal.serial) return;
    done.current = goal.serial;
    if (goal.kind === "cited" && typeof part.start_ms === "number") seek(part.start_ms);
  }, [seek, goal, parts]);
}

interface PartProps {
  part: Passage;
  at: number;
  isHeard: boolean;
  goal: Goal | null;
  onPlay: ((ms: number) => void) | null;
}

const Part = memo(function Part({ part, at, isHeard, goal, onPlay }: PartProps) {
  const t = useT();
  const start = part.start_ms ?? null;
  const range = rangeIn(goal, part.passage);
  const isBeside = goal?.kind === "cited" && !range;
  const go = onPlay && start !== null ? () => onPlay(start) : null;
  return (
    <div
      className={styles.part}
      data-passage={part.passage}
      data-part={at}
      data-where={start === null ? undefined : clock(start)}
      data-heard={isHeard || undefined}
      data-cited={goal?.kind === "cited" || undefined}
      data-beside={isBeside || undefined}
      data-testid={isBeside ? "beside" : "part"}
    >
      {start === null ? null : go ? (
        <button type="button" className={styles.start} aria-label={t("reader.playFrom", { time: clock(start) })} aria-current={isHeard || undefined} onClick={go}>
          <Icon name="play" size={12} /> {clock(start)}
        </button>
      ) : (
        <span className={styles.start}>{clock(start)}</span>
      )}
      {/* For the pointer the words are as good a target as the time beside them; selecting them plays nothing. */}
      <div className={styles.said} dir="auto" data-seeks={go ? "" : undefined} onClick={() => getSelection()?.isCollapsed && go?.()}>
        <Words text={part.text.trimEnd()} ranges={range && goal ? [{ ...range, name: goal.kind }] : []} />
      </div>
    </div>
  );
});
