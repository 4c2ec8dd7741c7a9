/** Why something was not read, in the language of the page, and what can help. */
import type { Source } from "@/shared/api/types";
import { currentLanguage, t, type Key } from "@/shared/i18n/i18n";
import { lookOf, type Kinded } from "@/shared/lib/kinds";

const REASONS: Record<string, Key> = {
  password_protected: "code.password_protected",
  certificate_protected: "code.certificate_protected",
  damaged_file: "code.damaged_file",
  drm_protected: "code.drm_protected",
  no_ffmpeg: "code.no_ffmpeg",
  no_text_layer: "code.no_text_layer",
  no_text: "code.no_text",
  no_speech: "code.no_speech",
  no_audio_track: "code.no_audio_track",
  too_many_pages: "code.too_many_pages",
  too_many_vision_pages: "code.too_many_vision_pages",
  too_large: "code.too_large",
  too_long: "code.too_long",
  unsupported_kind: "code.unsupported_kind",
  empty_file: "code.empty_file",
  undecodable_text: "code.undecodable_text",
  contains_nul: "code.contains_nul",
  tmp_full: "code.tmp_full",
  site_no_pages: "code.site_no_pages",
  url_not_public: "code.url_not_public",
  url_scheme: "code.url_scheme",
  url_failed: "code.url_failed",
  url_not_found: "code.url_not_found",
  url_login: "code.url_login",
  url_consent: "code.url_consent",
  url_needs_script: "code.url_needs_script",
  url_paywall: "code.url_paywall",
  url_too_little_text: "code.url_too_little_text",
  no_model: "code.no_model",
  model_unavailable: "code.model_unavailable",
  model_unauthorized: "code.model_unauthorized",
  model_out_of_credit: "code.model_out_of_credit",
  model_timeout: "code.model_timeout",
  resource_limit: "code.resource_limit",
  out_of_credit: "code.out_of_credit",
  gave_up: "code.gave_up",
};

type About = Kinded & { pages: number | null; capture?: string };

/** Why it was not read, in the language of the page where we know the code, else in the gateway's words. `hasVision` as in `remedyOf`. */
export function reasonOf(code: string, message: string, source: About | null = null, hasVision = false): string {
  const special = specialReason(code, source, hasVision);
  if (special) return special;
  // Which kind it is after all stands in the gateway's sentence, which is English.
  const why = code === "unsupported_kind" && currentLanguage() === "en" ? /: (.+)$/s.exec(message)?.[1] : undefined;
  if (why) return t("code.unsupported_why", { why });
  const key = REASONS[code];
  return key ? t(key) : message;
}

/** The codes whose reason depends on what the source is; null for the others. */
function specialReason(code: string, source: About | null, hasVision: boolean): string | null {
  if (code === "no_text_layer" || code === "no_model") return missingModel(code, source, hasVision);
  // Only a PDF can be opened with its password here.
  if (code === "password_protected" && (!source || lookOf(source) !== "pdf")) return t("code.locked");
  if (code === "resource_limit" && source && lookOf(source) === "picture") return t("code.resource_limit_picture");
  return null;
}

/** M9 by what the source is; null where nothing more is known than the code. */
function missingModel(code: string, source: About | null, hasVision: boolean): string | null {
  if (!source) return null;
  const look = lookOf(source);
  if (look === "recording") return t("code.no_hearing");
  if (look === "picture") return hasVision ? t("code.pictures_unread") : t("code.no_vision");
  if (code !== "no_text_layer") return null;
  if (source.capture === "text") return t("code.no_text_layer_text");
  if (hasVision) return t("code.pictures_unread"); // declined, or kept from a hosted reader: the gateway's sentence says which
  return source.pages ? t("code.no_text_layer_pages", { n: source.pages }) : null;
}

const PAGE_REASONS: Record<string, Key> = {
  no_text_layer: "unread.no_text_layer",
  resource_limit: "unread.resource_limit",
  damaged_file: "unread.damaged_file",
};

/** Why one page was not read. The gateway's own sentence says more where it has one for English readers. */
export function pageReason(code: string, why: string): string {
  const key = PAGE_REASONS[code] ?? (code.startsWith("model_") ? "unread.model" : undefined);
  if (currentLanguage() === "en" && why) return why;
  return key ? t(key) : why;
}

export type Remedy = "password" | "connect_vision" | "connect_speech" | "pictures" | "approve" | "retry" | "fetch" | "read_on" | "reread";

const FINAL = new Set([
  "unsupported_kind", "empty_file", "no_text", "certificate_protected", "url_scheme", "url_not_public", "undecodable_text", "damaged_file", "too_many_pages",
  "too_large", "too_long", "no_speech", "no_audio_track", "contains_nul", "drm_protected", "url_paywall",
]); // prettier-ignore

/** The one thing that can help a failed source; null when nothing but another file does. `hasVision`: a picture reader is connected. */
export function remedyOf(source: Pick<Source, "kind" | "media_type" | "error">, hasVision = false): Remedy | null {
  const code = source.error?.code;
  if (code === "password_protected") return lookOf(source) === "pdf" ? "password" : null;
  if (code === "no_text_layer") return hasVision ? "pictures" : "connect_vision";
  if (code === "no_model") return lookOf(source) === "recording" ? "connect_speech" : hasVision ? "pictures" : "connect_vision";
  return code && FINAL.has(code) ? null : "retry";
}

/** Everything that can be done about what was not read, the most helpful first. */
export function remediesOf(source: Source, hasVision: boolean): Remedy[] {
  if (source.status === "needs_approval") return ["approve"];
  if (source.status === "stopped" || source.status === "paused") return ["read_on"];
  if (source.status === "failed") return [remedyOf(source, hasVision)].filter((one): one is Remedy => one !== null);
  if (source.status !== "ready") return [];
  const unread = source.report?.not_read ?? [];
  const found: Remedy[] = [];
  if (unread.some((page) => page.code === "no_text_layer")) found.push(hasVision ? "pictures" : "connect_vision");
  if (unread.some((page) => page.code !== "no_text_layer")) found.push("reread");
  if (source.kind === "url") found.push("fetch");
  else if (source.stale && !found.includes("reread")) found.push("reread");
  return found;
}
