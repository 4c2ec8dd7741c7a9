/** The turns of a conversation as they are shown: stored and live ones in one order, versions of a question in one place. */

import { ofConversation, type LiveTurn } from "./live";
import { turnOf, type ChatTurn } from "./request";

export interface ShownTurn {
  readonly key: string;
  readonly turn: ChatTurn;
  /** Null for a stored turn. */
  readonly live: LiveTurn | null;
}

/** One question with its versions, the oldest first. */
export interface Exchange {
  readonly root: string;
  readonly versions: readonly ShownTurn[];
}

const synthesized = new WeakMap<LiveTurn, ChatTurn>();

function turnOfLive(live: LiveTurn): ChatTurn {
  const known = synthesized.get(live);
  if (known) return known;
  const turn = live.row ?? turnOf(live.request, live.growing, live.growing.turnId ?? live.key, live.createdAt);
  synthesized.set(live, turn);
  return turn;
}

const storedShown = new WeakMap<ChatTurn, ShownTurn>();
const liveShown = new WeakMap<LiveTurn, ShownTurn>();

/** The same object for the same turn, so that what did not change is not rendered. */
function shownStored(turn: ChatTurn, key: string): ShownTurn {
  const known = storedShown.get(turn);
  if (known?.key === key) return known;
  const shown: ShownTurn = { key, turn, live: null };
  storedShown.set(turn, shown);
  return shown;
}

function shownLive(live: LiveTurn): ShownTurn {
  const known = liveShown.get(live);
  if (known) return known;
  const shown: ShownTurn = { key: live.key, turn: turnOfLive(live), live };
  liveShown.set(live, shown);
  return shown;
}

/** Stored turns, then live ones; a turn that is both is shown once, live, in its stored place. */
export function shownTurns(
  stored: readonly ChatTurn[],
  all: readonly LiveTurn[],
  at: { notebookId: string; conversationId: string | null },
  keyOf: (turnId: string) => string,
): readonly ShownTurn[] {
  const live = ofConversation(all, at.notebookId, at.conversationId);
  const byTurn = new Map(live.map((turn) => [turn.growing.turnId, turn]));
  const rows = stored.map((turn) => {
    const running = byTurn.get(turn.id);
    return running ? shownLive(running) : shownStored(turn, keyOf(turn.id));
  });
  const ids = new Set(stored.map((turn) => turn.id));
  const fresh = live.filter((turn) => !turn.growing.turnId || !ids.has(turn.growing.turnId));
  return [...rows, ...fresh.map(shownLive)];
}

/** Versions of one question share the place of its first asking. */
export function exchanges(turns: readonly ShownTurn[]): readonly Exchange[] {
  const rootOf = new Map<string, string>();
  const groups = new Map<string, ShownTurn[]>();
  for (const shown of turns) {
    const replaces = shown.turn.replaces;
    const root = replaces ? (rootOf.get(replaces) ?? replaces) : shown.turn.id;
    rootOf.set(shown.turn.id, root);
    const group = groups.get(root);
    if (group) group.push(shown);
    else groups.set(root, [shown]);
  }
  return [...groups].map(([, versions]) => ({ root: versions[0]?.key ?? "", versions }));
}

/** Index of the last exchange that is no longer sent along, or -1: complete answers before it are out of the history. */
export function lastOutOfHistory(list: readonly Exchange[]): number {
  const isOut = list.map(({ versions }) => {
    const turn = versions[versions.length - 1]?.turn;
    return turn?.status === "done" && turn.finish === "complete" && !turn.in_history;
  });
  const last = isOut.lastIndexOf(true);
  return last < list.length - 1 ? last : -1;
}
