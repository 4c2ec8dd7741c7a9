/** How long something takes, roughly. */
import { t } from "@/shared/i18n/i18n";

const TENS_S = 50;
const MINUTE_S = 60;
const HOUR_S = 3600;

/** Always "about": seconds in tens, minutes and, from two on, hours whole. */
export function about(seconds: number): string {
  if (seconds < TENS_S) return t("status.about_s", { n: Math.max(10, Math.ceil(seconds / 10) * 10) });
  if (seconds < 2 * HOUR_S) return t("status.about_min", { n: Math.max(1, Math.round(seconds / MINUTE_S)) });
  return t("status.about_h", { n: Math.round(seconds / HOUR_S) });
}
