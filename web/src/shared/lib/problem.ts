/** The sentence a person reads when something was refused. */
import { ApiError, OFFLINE } from "@/shared/api/client";
import { t } from "@/shared/i18n/i18n";

export interface ProblemWords {
  text: string;
  /** Present when the fault is ours and the id helps whoever looks into it. */
  requestId: string | null;
  canRetry: boolean;
}

export function problemWords(error: unknown): ProblemWords {
  if (!(error instanceof ApiError)) return { text: t("error.ours"), requestId: null, canRetry: true };
  const requestId = error.status >= 500 || error.status === 0 ? error.requestId : null;
  return { text: textOf(error), requestId, canRetry: error.status === 0 || error.status === 429 || error.status >= 500 };
}

function textOf(error: ApiError): string {
  if (error.code === OFFLINE) return t("error.offline");
  if (error.status === 429 && error.retryAfterS !== null) return t("error.busy", { n: Math.ceil(error.retryAfterS) });
  if (error.status >= 500 && error.status !== 503) return t("error.ours");
  if (error.message) return error.message; // the gateway's own sentence says what happened and what now
  const plain = { 402: t("error.credit"), 403: t("error.refused"), 404: t("error.gone"), 413: t("error.too_large") }[error.status];
  return plain ?? t("error.ours");
}
