/** A visitor's token: of the host application where it gives one, else an anonymous one of the public session. */

import { Refused } from "./contract";

const STORED = "sourcebook.visitor.";
const EARLY_MS = 60_000;

interface Ticket {
  token: string;
  until: number;
}

export interface Tickets {
  /** A token, new when the one at hand has ended or `isRefused`. */
  get(isRefused?: boolean): Promise<string>;
  /** Whether somebody was here before: without, there is no conversation to ask for. */
  isKnown(): boolean;
}

/** Tokens of the host application's backend; asked for again before they end. */
export class HostTickets implements Tickets {
  private ticket: Ticket | null = null;
  private asking: Promise<string> | null = null;

  constructor(private readonly give: () => Promise<unknown>) {}

  isKnown(): boolean {
    return true;
  }

  get(isRefused = false): Promise<string> {
    if (!isRefused && this.ticket && this.ticket.until > Date.now()) return Promise.resolve(this.ticket.token);
    this.asking ??= this.ask().finally(() => {
      this.asking = null;
    });
    return this.asking;
  }

  private async ask(): Promise<string> {
    const given = ticketIn(await this.give());
    if (!given) throw new Refused(401, "visitor_unknown", "");
    this.ticket = given;
    return given.token;
  }
}

/** What a host's function or address gave: a token alone, or `{"token", "expires_in"}`. */
export function ticketIn(given: unknown, now = Date.now()): Ticket | null {
  const { token, expires_in: lasts } = typeof given === "string" ? { token: given, expires_in: undefined } : ((given ?? {}) as { token?: unknown; expires_in?: unknown });
  if (typeof token !== "string" || token === "") return null;
  // A token without its time is good until it is refused.
  return { token, until: typeof lasts === "number" ? now + Math.max(0, lasts * 1000 - EARLY_MS) : Infinity };
}

/** Anonymous visitors of a public site, remembered in the site's own storage. */
export class SessionTickets implements Tickets {
  private asking: Promise<string> | null = null;
  private ticket: Ticket | null;

  constructor(
    private readonly slug: string,
    private readonly begin: (old: string | null) => Promise<{ token: string; expires_in: number }>,
  ) {
    this.ticket = read(slug);
  }

  isKnown(): boolean {
    return this.ticket !== null;
  }

  get(isRefused = false): Promise<string> {
    if (!isRefused && this.ticket && this.ticket.until > Date.now()) return Promise.resolve(this.ticket.token);
    this.asking ??= this.ask().finally(() => {
      this.asking = null;
    });
    return this.asking;
  }

  private async ask(): Promise<string> {
    const given = ticketIn(await this.begin(this.ticket?.token ?? null));
    if (!given) throw new Refused(401, "visitor_unknown", "");
    this.ticket = given;
    try {
      localStorage.setItem(STORED + this.slug, JSON.stringify(given));
    } catch {
      // storage is forbidden: the visit lasts as long as the page
    }
    return given.token;
  }
}

function read(slug: string): Ticket | null {
  try {
    const kept = JSON.parse(localStorage.getItem(STORED + slug) ?? "null") as Partial<Ticket> | null;
    return typeof kept?.token === "string" && typeof kept.until === "number" ? { token: kept.token, until: kept.until } : null;
  } catch {
    return null;
  }
}
