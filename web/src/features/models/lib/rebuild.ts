/** Taking another meaning search, in words: what it will take, how far it is. */
import type { Floor, FloorList, ModelRole, Rebuild, RebuildEstimate } from "@/shared/api/types";
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

/** The floors of the model in use: one line where all ways of asking share it, else one for each. */
export function floorLines({ items, locked_by: lockedBy }: FloorList): string[] {
  const mine = items.filter((floor) => floor.space.state === "in_use");
  const words = mine.map((floor) => floorWords(floor, lockedBy));
  return new Set(words).size > 1 ? mine.map((floor, at) => `${floor.profile}: ${words[at]}`) : words.slice(0, 1);
}

/** The model that still answers although another was chosen, while nothing of the new one is under way; else null. */
export function stillUsed(item: ModelRole, { items }: FloorList): string | null {
  const used = items.find((floor) => floor.space.state === "in_use")?.space.model ?? null;
  return item.rebuild === null && item.model !== null && used !== null && used !== item.model ? used : null;
}

/** Where a floor comes from. */
export function floorWords({ floor, origin, measured_at: at }: Floor, lockedBy: FloorList["locked_by"]): string {
  if (floor === null || origin === null) return t("models.floor.unknown");
  const number = floor.toLocaleString(currentLanguage(), { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  if (origin === "environment") return t("models.floor.environment", { floor: number, name: lockedBy ?? t("ui.unknown") });
  if (origin === "evaluated") return t("models.floor.evaluated", { floor: number, date: at ? date(at) : t("ui.unknown") });
  return t(origin === "noise" ? "models.floor.noise" : "models.floor.shipped", { floor: number });
}
