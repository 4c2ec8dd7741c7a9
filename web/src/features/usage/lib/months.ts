/** Months as the API names them, "2026-11", and as people do. */

export function thisMonth(now: Date): string {
  return `${now.getUTCFullYear()}-${String(now.getUTCMonth() + 1).padStart(2, "0")}`;
}

/** This month and those before it, newest first. */
export function lastMonths(now: Date, count: number): string[] {
  return Array.from({ length: count }, (_, back) => thisMonth(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1))));
}

/** "November 2026". */
export function monthName(month: string, language: string): string {
  return new Intl.DateTimeFormat(language, { month: "long", year: "numeric", timeZone: "UTC" }).format(new Date(`${month}-01T00:00:00Z`));
}
