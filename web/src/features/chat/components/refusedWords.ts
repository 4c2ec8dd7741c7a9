/** Why a question was not taken, in words. */

import { OFFLINE, type ApiError } from "@/shared/api/client";
import { t as translate } from "@/shared/i18n/i18n";

/** `left`: seconds until the next may be asked, where that is known. */
export function words(error: ApiError, left: number | null): string {
  if (error.status === 429) return left === 0 ? translate("refused.goOn") : left === null ? error.message : translate("refused.wait", { n: left });
  if (error.status === 402) return error.message || translate("refused.credit");
  if (error.status === 401) return translate("refused.signIn");
  if (error.code === OFFLINE) return translate("refused.offline");
  if (error.code === "turn_running") return translate("refused.running");
  return error.message || translate("refused.ours");
}
