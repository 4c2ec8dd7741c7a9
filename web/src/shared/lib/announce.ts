/** The one polite live region: what is said here is read out, never shown. Same words twice are said twice. */

let region: HTMLElement | null = null;

export function announce(text: string): void {
  if (!region) {
    region = document.createElement("div");
    region.className = "heard";
    region.setAttribute("role", "status");
    region.setAttribute("aria-live", "polite");
    region.dataset["testid"] = "announcer";
    document.body.append(region);
  }
  region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}
