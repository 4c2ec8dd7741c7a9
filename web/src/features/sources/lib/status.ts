/** The status line of a source row: M4 to M11 in words, its tone, its bar. */
import { secondsLeft } from "@/features/sources/lib/pace";
import type { Source } from "@/shared/api/types";
import { t, type Key } from "@/shared/i18n/i18n";

export interface StatusLine {
  text: string;
  tone: "plain" | "warning" | "error";
  bar: { done: number; total: number | null } | null;
}

export function isWorking(source: Source): boolean {
  return source.status === "queued" || source.status === "reading" || source.status === "indexing";
}

export function statusLine(source: Source): StatusLine {
  const plain = (text: string, bar: StatusLine["bar"] = null): StatusLine => ({ text, tone: "plain", bar });
  switch (source.status) {
    case "queued":
      return plain(waiting(source));
    case "reading":
      return plain(reading(source), bar(source));
    case "indexing":
      return plain(indexing(source), bar(source));
    case "ready":
      return source.warnings > 0 ? { text: warned(source), tone: "warning", bar: null } : plain(ready(source));
    case "failed":
      return { text: reason(source), tone: "error", bar: null };
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
  const { done = 0, total = null } = source.progress ?? {};
  if (total === null || total <= 1) return t("status.reading");
  const facts = { done: Math.min(done + 1, total), total };
  const where = source.kind === "pdf" ? t("status.reading_page", facts) : t("status.reading_part", facts);
  const left = about(secondsLeft(source.id, total));
  return left ? `${where} · ${left}` : where;
}

function indexing(source: Source): string {
  if (source.searchable === "none") return t("status.indexing");
  const left = about(secondsLeft(source.id, source.progress?.total ?? null));
  return left ? t("status.by_words_eta", { about: left }) : t("status.by_words");
}

/** Always "about": seconds in tens, minutes whole. */
export function about(seconds: number | null): string | null {
  if (seconds === null) return null;
  if (seconds < 50) return t("status.about_s", { n: Math.max(10, Math.ceil(seconds / 10) * 10) });
  return t("status.about_min", { n: Math.max(1, Math.round(seconds / 60)) });
}

function ready(source: Source): string {
  if (source.pages) return t("status.ready_pages", { n: source.pages });
  return source.words ? t("status.ready_words", { n: source.words }) : t("status.ready");
}

function warned(source: Source): string {
  const unread = source.report?.not_read.length ?? 0;
  return unread > 0 && source.pages ? t("status.warned_pages", { n: unread, total: source.pages }) : t("status.warned");
}

function approval(source: Source): string {
  const pages = Number(source.meta["vision_pages"] ?? source.progress?.total ?? 0);
  const cost = source.meta["estimate"] ?? source.cost;
  if (!pages) return t("status.approve_plain");
  return t("status.approve", { n: pages, cost: cost === null || cost === undefined ? t("ui.unknown") : String(cost) });
}

const REASONS: Record<string, Key> = {
  password_protected: "code.password_protected",
  certificate_protected: "code.certificate_protected",
  damaged_file: "code.damaged_file",
  no_text_layer: "code.no_text_layer",
  no_text: "code.no_text",
  too_many_pages: "code.too_many_pages",
  too_large: "code.too_large",
  unsupported_kind: "code.unsupported_kind",
  empty_file: "code.empty_file",
  undecodable_text: "code.undecodable_text",
  url_not_public: "code.url_not_public",
  url_scheme: "code.url_scheme",
  url_failed: "code.url_failed",
  url_not_found: "code.url_not_found",
  url_login: "code.url_login",
  url_consent: "code.url_consent",
  url_needs_script: "code.url_needs_script",
  url_too_little_text: "code.url_too_little_text",
  model_unavailable: "code.model_unavailable",
  resource_limit: "code.resource_limit",
  out_of_credit: "code.out_of_credit",
  gave_up: "code.gave_up",
};

/** Why it was not read, in the language of the page where we know the code, else in the gateway's words. */
export function reasonOf(code: string, message: string, pages: number | null = null): string {
  if (code === "no_text_layer" && pages) return t("code.no_text_layer_pages", { n: pages });
  const key = REASONS[code];
  return key ? t(key) : message;
}

const passwordTried = new Set<string>();

/** From now on the same refusal means: that password was wrong. */
export function notePasswordTried(id: string): void {
  passwordTried.add(id);
}

export const wasPasswordTried = (id: string): boolean => passwordTried.has(id);

function reason(source: Source): string {
  if (source.error?.code === "password_protected" && wasPasswordTried(source.id)) return t("code.password_wrong");
  return source.error ? reasonOf(source.error.code, source.error.message, source.pages) : t("error.ours");
}

export type Remedy = "password" | "connect" | "retry" | "none";

/** The one thing that can help a failed source. */
export function remedyOf(code: string | undefined): Remedy {
  if (code === "password_protected" || code === "password_wrong") return "password";
  if (code === "no_text_layer") return "connect";
  const final = ["unsupported_kind", "empty_file", "no_text", "certificate_protected", "url_scheme", "url_not_public", "undecodable_text", "damaged_file", "too_many_pages", "too_large"];
  return code && final.includes(code) ? "none" : "retry";
}
