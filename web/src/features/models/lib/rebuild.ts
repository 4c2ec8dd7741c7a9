/** Taking another meaning search, in words: what it will take, how far it is. */
import type { Floor, FloorList, Rebuild, RebuildEstimate } from "@/shared/api/types";
import { currentLanguage, date, money, t } from "@/shared/i18n/i18n";
import { about } from "@/shared/lib/about";

/** "About 12 minutes for 3,400 passages, about €0.12. Answers go on with the old one until then." */
export function estimateWords({ chunks, seconds, cost, currency }: RebuildEstimate): string {
  const facts = [t("models.takes", { about: about(seconds), passages: passages(chunks) }), costWords(cost, currency)];
  return `${facts.join(" ")} ${t("models.oldAnswers")}`;
}

/** "1,200 of 3,400 passages · about 8 min"; waiting: how many there are. */
export function progressWords({ state, done, chunks, seconds_left: left }: Rebuild): string {
  if (state === "waiting" && done === 0) return t("models.waits", { passages: passages(chunks) });
  const far = t("models.far", { done, passages: passages(chunks) });
  return left === null ? far : `${far} · ${about(left)}`;
}

export function costWords(cost: string | null, currency: string | null): string {
  if (cost === null) return t("models.costUnknown");
  return Number(cost) === 0 ? t("models.costNothing") : t("models.cost", { cost: money(cost, currency) });
}

function passages(n: number): string {
  return t("models.passages", { n });
}

/** Where a floor comes from. */
export function floorWords({ floor, origin, measured_at: at }: Floor, lockedBy: FloorList["locked_by"]): string {
  if (floor === null || origin === null) return t("models.floor.unknown");
  const number = floor.toLocaleString(currentLanguage(), { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  if (origin === "environment") return t("models.floor.environment", { floor: number, name: lockedBy ?? t("ui.unknown") });
  if (origin === "evaluated") return t("models.floor.evaluated", { floor: number, date: at ? date(at) : t("ui.unknown") });
  return t(origin === "noise" ? "models.floor.noise" : "models.floor.shipped", { floor: number });
}
