/** A visitor's token: of the host application where it gives one, else an anonymous one of the public session. */

import { Refused } from "./contract";

const STORED = "sourcebook.visitor.";
const EARLY_MS = 60_000;

interface Ticket {
  token: string;
  until: number;
}

/** What a host's function or address gave: a token alone, or `{"token", "expires_in"}`. */
export function ticketIn(given: unknown, now = Date.now()): Ticket | null {
  const { token, expires_in: lasts } = typeof given === "string" ? { token: given, expires_in: undefined } : ((given ?? {}) as { token?: unknown; expires_in?: unknown });
  if (typeof token !== "string" || token === "") return null;
  // A token without its time is good until it is refused.
  return { token, until: typeof lasts === "number" ? now + Math.max(0, lasts * 1000 - EARLY_MS) : Infinity };
}

/** Tokens as they are needed: asked for again before they end, and once for all who ask at the same time. */
export class Tickets {
  private ticket: Ticket | null;
  private asking: Promise<string> | null = null;

  /** `slug`: the visitor is anonymous and remembered in the site's own storage; null: the host application vouches for them. */
  constructor(
    private readonly slug: string | null,
    private readonly give: (old: string | null) => Promise<unknown>,
  ) {
    this.ticket = slug === null ? null : read(slug);
  }

  /** Whether somebody was here before: without, there is no conversation to ask for. */
  isKnown(): boolean {
    return this.slug === null || this.ticket !== null;
  }

  /** Whether no host application vouches for the visitor. */
  isAnonymous(): boolean {
    return this.slug !== null;
  }

  /** A token, new when the one at hand has ended or `isRefused`. */
  get(isRefused = false): Promise<string> {
    if (!isRefused && this.ticket && this.ticket.until > Date.now()) return Promise.resolve(this.ticket.token);
    this.asking ??= this.ask().finally(() => {
      this.asking = null;
    });
    return this.asking;
  }

  private async ask(): Promise<string> {
    const given = ticketIn(await this.give(this.ticket?.token ?? null));
    if (!given) throw new Refused(401, "visitor_unknown", "");
    this.ticket = given;
    if (this.slug !== null) store(this.slug, given);
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

function store(slug: string, ticket: Ticket): void {
  try {
    localStorage.setItem(STORED + slug, JSON.stringify(ticket));
  } catch {
    // storage is forbidden: the visit lasts as long as the page
  }
}
