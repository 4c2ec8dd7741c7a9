/** The theme on the page; the gateway writes it into the next page from the cookie, before the first paint. */
import type { Theme } from "@/shared/api/types";

export function showTheme(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme;
}

export function shownTheme(): Theme {
  const theme = document.documentElement.dataset["theme"];
  return theme === "light" || theme === "dark" ? theme : "system";
}
