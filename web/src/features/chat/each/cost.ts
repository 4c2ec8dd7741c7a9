/** What asking each source would cost, by what the answer above did. */
import { useQuery } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import type { UsageMonth } from "@/shared/api/types";
import { money, type t as translate } from "@/shared/i18n/i18n";
import type { ChatTurn } from "../lib/request";

const PAGE = 200;
const MOST_PAGES = 5; // of the newest calls; an answer that lies further back is of unknown cost

export interface TurnCost {
  readonly calls: number;
  /** Null: one of the calls has no known cost. */
  readonly cost: number | null;
  readonly currency: string;
}

/** The calls of an answer, as the asker's own ledger has them; null where somebody else pays, or they are not found. */
export function useTurnCost(turn: Pick<ChatTurn, "id" | "created_at">, isOn: boolean) {
  return useQuery({ queryKey: ["usage", "turn", turn.id], enabled: isOn, retry: false, staleTime: Infinity, queryFn: ({ signal }) => read(turn.id, turn.created_at.slice(0, 7), signal) });
}

async function read(turnId: string, month: string, signal: AbortSignal): Promise<TurnCost | null> {
  const found: UsageMonth["calls"]["items"] = [];
  let cursor: string | null | undefined = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const more: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : "";
    const usage: UsageMonth = await api.get<UsageMonth>(`/usage?month=${month}&limit=${PAGE}${more}`, signal);
    const here = usage.calls.items.filter((call) => call.turn_id === turnId);
    found.push(...here);
    cursor = usage.calls.next_cursor;
    if (found.length > 0 && (here.length === 0 || !cursor)) return costOf(found, usage.currency);
    if (!cursor) return null;
  }
  return null;
}

/** The sum of an answer's calls; one of unknown cost makes it unknown. */
export function costOf(calls: readonly { cost: string | null }[], currency: string): TurnCost {
  const isKnown = calls.every((call) => call.cost !== null);
  return { calls: calls.length, cost: isKnown ? calls.reduce((sum, call) => sum + Number(call.cost), 0) : null, currency };
}

/** "About 36 calls to models, about €0.12, if each costs what the answer above did." */
export function eachCost(known: TurnCost | null, n: number, t: typeof translate): string {
  const calls = known ? t("each.calls", { n: known.calls * n }) : "";
  if (!known || known.cost === null) return [calls, t("each.costUnknown")].filter(Boolean).join(" ");
  return `${calls} ${known.cost === 0 ? t("each.costNothing") : t("each.cost", { cost: money(known.cost * n, known.currency) })}`;
}
