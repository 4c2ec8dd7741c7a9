/** Tokens and webhooks in words. */
import type { HookEvent, Token, TokenAsk, Webhook } from "@/features/settings/accessApi";
import { ago, date, t, type Key } from "@/shared/i18n/i18n";

export type Scope = NonNullable<TokenAsk["scopes"]>[number];
export const SCOPES = ["read", "ask", "add", "manage", "admin"] as const satisfies readonly Scope[];
/** Days until it ends. */
export const TERMS = ["30", "90", "365", "never"] as const;
export type Term = (typeof TERMS)[number];
const DAY_MS = 86_400_000;

/** When a token of this term ends; null: never. */
export function endsAt(term: Term, now = Date.now()): string | null {
  return term === "never" ? null : new Date(now + Number(term) * DAY_MS).toISOString();
}

/** A limit as it was typed: null for none, undefined for what is no whole number above 0. */
export function countOf(typed: string): number | null | undefined {
  const text = typed.trim();
  if (text === "") return null;
  return /^[1-9]\d{0,6}$/.test(text) && Number(text) <= 1_000_000 ? Number(text) : undefined;
}

/** What it may do, until when, how much; when it was made and used. */
export function tokenWords({ prefix, scopes, expires_at: ends, limits = {}, created_at: made, last_used_at: used }: Token): string[] {
  const may = SCOPES.filter((scope) => scopes.includes(scope)).map((scope) => t(`access.scope_${scope}`));
  const isOver = ends ? new Date(ends).getTime() <= Date.now() : false;
  const term = !ends ? t("access.noEnd") : t(isOver ? "access.ended" : "access.ends", { date: date(ends) });
  const much = [
    limits["per_minute"] ? t("access.inMinute", { n: limits["per_minute"] }) : "",
    limits["per_day"] ? t("access.inDay", { n: limits["per_day"] }) : "",
  ];
  return [
    [...may, ...much].filter(Boolean).join(" · "),
    [`${prefix}…`, t("access.made", { ago: ago(made) }), used ? t("access.used", { ago: ago(used) }) : t("access.unused"), term].join(" · "),
  ];
}

const EVENT_NAMES: Record<HookEvent, Key> = {
  "source.ready": "access.event_source_ready",
  "source.failed": "access.event_source_failed",
  "turn.done": "access.event_turn_done",
  "output.ready": "access.event_output_ready",
  handover: "access.event_handover",
};
/** `output.ready` is left out: nothing makes outputs yet. */
export const EVENTS = ["source.ready", "source.failed", "turn.done", "handover"] as const satisfies readonly HookEvent[];

export const eventName = (event: HookEvent): string => t(EVENT_NAMES[event]);
const ORDER = Object.keys(EVENT_NAMES) as HookEvent[];
export const eventWords = (events: readonly HookEvent[]): string => ORDER.filter((event) => events.includes(event)).map(eventName).join(" · ");

export function sentWords({ last_sent_at: sent, created_at: made }: Webhook): string {
  return `${t("access.made", { ago: ago(made) })} · ${sent ? t("access.sent", { ago: ago(sent) }) : t("access.unsent")}`;
}
