/** Sites in words. */
import { reasonOf } from "@/features/sources/lib/reasons";
import type { Site } from "@/shared/api/types";
import { ago, t, type Key } from "@/shared/i18n/i18n";

/** Plans the form offers, in hours; null looks only when told to. */
export const PLANS = [null, 24, 168, 720] as const;

/** Pages one site may bring, as the server limits them (`site_pages`). */
export const MAX_PAGES = 200;

/** What is asked for: one address is the site's or its sitemap's; several are a list of pages of the site they begin with. */
export function siteFrom(urls: string[]): { url: string; addresses?: string[] } | null {
  const first = urls[0];
  if (first === undefined) return null;
  return urls.length === 1 ? { url: first } : { url: new URL(first).origin, addresses: urls };
}

/** "docs.example.org/guide": what tells one site from another. */
export function siteName(url: string): string {
  if (!URL.canParse(url)) return url;
  const { host, pathname } = new URL(url);
  return `${host.replace(/^www\./, "")}${pathname.replace(/\/$/, "")}`;
}

export function planWords(hours: number | null): string {
  const known = PLANS.some((plan) => plan === hours);
  return known ? t(`sites.every.${hours ?? 0}` as Key) : t("sites.every_hours", { n: hours ?? 0 });
}

/** The line under a site's name: how many pages it has here and when it was looked at. */
export function siteLine(site: Site, pages: number): string {
  if (site.status === "failed") return `${t("sites.not_looked")} ${site.error ? reasonOf(site.error.code, site.error.message) : t("error.ours")}`;
  const count = t("sites.pages", { n: pages });
  if (site.status === "queued" && !site.looked_at) return t("sites.queued");
  if (site.status !== "ready") return pages > 0 ? `${count} · ${t("sites.looking")}` : t("sites.looking");
  return site.looked_at ? `${count} · ${t("sites.looked", { when: ago(site.looked_at) })}` : count;
}

const WHYS = new Set(["robots", "other_host", "over_limit", "no_page"]);

/** Addresses that were found and not added: how many, and which. */
export function refusedOf(site: Site): { n: number; items: { url: string; why: string }[] } {
  const counts = Object.values(site.report?.refused ?? {});
  const items = (site.report?.items ?? []).filter((item) => item.state === "refused");
  return { n: counts.reduce((sum, n) => sum + n, 0), items: items.map(({ url, why }) => ({ url, why: whyWords(why ?? "") })) };
}

function whyWords(why: string): string {
  return WHYS.has(why) ? t(`sites.why.${why}` as Key) : reasonOf(why, why);
}
