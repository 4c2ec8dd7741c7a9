/** The status line of a source row: M4 to M11 in words, its tone, its bar. */
import { secondsLeft } from "@/features/sources/lib/pace";
import type { Source } from "@/shared/api/types";
import { readingWords, readyWords } from "@/features/sources/lib/units";
import { reasonOf } from "@/features/sources/lib/reasons";
import { clock, money, t } from "@/shared/i18n/i18n";
import { about } from "@/shared/lib/about";

export interface StatusLine {
  text: string;
  tone: "plain" | "warning" | "error";
  bar: { done: number; total: number | null } | null;
}

export function isWorking(source: Source): boolean {
  return source.status === "queued" || source.status === "reading" || source.status === "indexing";
}

/** `hasVision`: a picture reader is connected, so that pictures were not left out for want of one. */
export function statusLine(source: Source, hasVision = false): StatusLine {
  const plain = (text: string, bar: StatusLine["bar"] = null): StatusLine => ({ text, tone: "plain", bar });
  switch (source.status) {
    case "queued":
      return plain(waiting(source));
    case "reading":
      return plain(reading(source), bar(source));
    case "indexing":
      return plain(indexing(source), bar(source));
    case "ready":
      return source.warnings > 0 ? { text: warned(source), tone: "warning", bar: null } : plain(readyWords(source));
    case "failed":
      return { text: reason(source, hasVision), tone: "error", bar: null };
    case "needs_approval":
      return { text: approval(source), tone: "warning", bar: null };
    case "stopped":
      return plain(t("status.stopped"));
    case "paused":
      return { text: source.error ? `${t("status.paused")}: ${reason(source)}` : t("status.paused"), tone: "warning", bar: null };
  }
}

function bar(source: Source): StatusLine["bar"] {
  return { done: source.progress?.done ?? 0, total: source.progress?.total ?? null };
}

function waiting(source: Source): string {
  const before = source.progress?.before;
  return before === null || before === undefined ? t("status.waiting") : t("status.waiting_before", { n: before });
}

function reading(source: Source): string {
  const where = readingWords(source);
  const left = secondsLeft(source.id, source.progress?.total ?? null);
  return left !== null ? `${where} · ${about(left)}` : where;
}

function indexing(source: Source): string {
  if (source.searchable === "none") return t("status.indexing");
  const left = secondsLeft(source.id, source.progress?.total ?? null);
  return left !== null ? t("status.by_words_eta", { about: about(left) }) : t("status.by_words");
}

function warned(source: Source): string {
  const unread = source.report?.not_read.length ?? 0;
  if (unread > 0 && source.pages) return t("status.warned_pages", { n: unread, total: source.pages });
  return source.duration_ms ? t("status.warned_length", { length: clock(source.duration_ms) }) : t("status.warned");
}

/** M10: how many pages, and what they cost at most; a cost nobody knows is said to be unknown. */
function approval(source: Source): string {
  const { pages = 0, cost = null, currency = null } = source.estimate ?? {};
  if (pages === 0) return t("status.approve_plain");
  return cost === null ? t("status.approve_unknown", { n: pages }) : t("status.approve", { n: pages, cost: money(cost, currency) });
}

const passwordTried = new Map<string, string>(); // source → when it had changed last as the password was sent

/** From its next change on, the same refusal means: that password was wrong. */
export function notePasswordTried(source: Source): void {
  passwordTried.set(source.id, source.updated_at);
}

export function wasPasswordTried(source: Source): boolean {
  const at = passwordTried.get(source.id);
  return at !== undefined && at !== source.updated_at;
}

function reason(source: Source, hasVision = false): string {
  if (!source.error) return t("error.ours");
  if (source.error.code === "password_protected" && wasPasswordTried(source)) return t("code.password_wrong");
  return reasonOf(source.error.code, source.error.message, source, hasVision);
}
