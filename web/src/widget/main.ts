/**
 * The script that a page embeds with one tag. `data-assistant` names the assistant, `data-token-url` an address of the page's own
 * server that gives visitor tokens, `data-theme` light or dark. `window.sourcebook` may give functions in their place; they are
 * asked when they are needed, so that they may be set later.
 */

import { Refused } from "./contract";
import { PublicApi, request, type HostWords } from "./publicApi";
import { Tickets } from "./tickets";
import { place } from "./widget";

/** What a page may set as `window.sourcebook`. */
interface Page {
  token?: () => unknown;
  hostAuthorization?: () => unknown;
  context?: () => unknown;
  session?: () => unknown;
}

const page = (): Page => (window as { sourcebook?: Page }).sourcebook ?? {};

const words: HostWords = {
  authorization: async () => {
    const given: unknown = await page().hostAuthorization?.();
    return typeof given === "string" && given !== "" ? given : null;
  },
  context: () => {
    const given = page().context?.();
    return typeof given === "object" && given !== null ? (given as Record<string, unknown>) : null;
  },
  session: () => {
    const given = page().session?.();
    return typeof given === "string" && given !== "" ? given : null;
  },
};

/** The host's own server is asked as itself: with its cookies, and a header that no form of another site can send. */
async function askHost(address: string): Promise<unknown> {
  const response = await fetch(address, { method: "POST", credentials: "same-origin", headers: { Accept: "application/json", "X-Requested-With": "sourcebook" } });
  if (!response.ok) throw new Refused(401, "visitor_unknown", "");
  return response.json();
}

function ticketsOf(script: HTMLScriptElement, slug: string): (base: string) => Tickets {
  const address = script.dataset["tokenUrl"];
  return (base) => {
    if (page().token) return new Tickets(null, async () => page().token?.());
    if (address) return new Tickets(null, () => askHost(address));
    return new Tickets(slug, async (old) => {
      const headers: Record<string, string> = old ? { Authorization: `Visitor ${old}` } : {};
      return (await request(`${base}/session`, { method: "POST", headers })).json();
    });
  };
}

function start(script: HTMLScriptElement): void {
  const slug = script.dataset["assistant"];
  if (!slug) throw new Error("The script of the assistant needs data-assistant.");
  const name = `sourcebook-${slug}`;
  if (document.getElementById(name)) return; // two tags for one assistant are one
  const host = document.createElement("div");
  host.id = name;
  const languages = [script.dataset["language"], document.documentElement.lang, ...navigator.languages];
  const api = new PublicApi(new URL(script.src).origin, slug, ticketsOf(script, slug), words);
  const put = (): void => {
    document.body.append(host);
    place({ host, api, languages, theme: script.dataset["theme"] ?? null }).catch(() => host.remove());
  };
  if (document.body) put();
  else document.addEventListener("DOMContentLoaded", put, { once: true });
}

const script = document.currentScript;
if (script instanceof HTMLScriptElement) start(script);
