/** The public tree over fetch: no cookies, a visitor's token, and the host application's own authorization with each question. */

import type { Turn } from "@/shared/api/types";
import { Refused, type Led, type Message, type Met, type WidgetApi } from "./contract";
import type { Tickets } from "./tickets";

/** What the page of the host may tell with each question. */
export interface HostWords {
  /** The asker's own authorization at the host application, for what is read there in their name. */
  authorization(): Promise<string | null>;
  context(): Record<string, unknown> | null;
  session(): string | null;
}

interface Options {
  method?: "GET" | "POST";
  body?: unknown;
  headers?: Record<string, string>;
}

/** One request; throws `Refused` for all that is not 2xx, with status 0 where the browser let nothing through. */
export async function request(address: string, { method = "GET", body, headers = {} }: Options): Promise<Response> {
  const told = body === undefined ? headers : { ...headers, "Content-Type": "application/json" };
  let response: Response;
  try {
    response = await fetch(address, { method, headers: told, body: body === undefined ? null : JSON.stringify(body), mode: "cors", credentials: "omit", cache: "no-store" });
  } catch {
    throw new Refused(0, "offline", "");
  }
  if (response.ok) return response;
  const seconds = Number(response.headers.get("Retry-After") ?? Number.NaN);
  const known = (await response.json().catch(() => null)) as { error?: { code?: string; message?: string } } | null;
  throw new Refused(response.status, known?.error?.code ?? "", known?.error?.message ?? "", Number.isFinite(seconds) ? seconds : null);
}

export class PublicApi implements WidgetApi {
  private readonly base: string;

  constructor(
    private readonly origin: string,
    slug: string,
    private readonly tickets: (base: string) => Tickets,
    private readonly host: HostWords,
  ) {
    this.base = `${origin}/public/v1/assistants/${encodeURIComponent(slug)}`;
  }

  private held: Tickets | null = null;
  private ticket(): Tickets {
    this.held ??= this.tickets(this.base);
    return this.held;
  }

  /** With the visitor's token; one that was refused is renewed once. */
  private async send(path: string, options: Options = {}): Promise<Response> {
    for (let isRefused = false; ; isRefused = true) {
      const headers = { ...options.headers, Authorization: `Visitor ${await this.ticket().get(isRefused)}` };
      try {
        return await request(this.base + path, { ...options, headers });
      } catch (error) {
        if (isRefused || !(error instanceof Refused) || error.status !== 401) throw error;
      }
    }
  }

  async meet(): Promise<Met> {
    try {
      return (await (await request(this.base, {})).json()) as Met;
    } catch (error) {
      // A page of another site may not read why it was refused; that the script still comes tells it from a lost connection.
      const isThere = error instanceof Refused && error.status === 0 && (await this.isReachable());
      throw isThere ? new Refused(403, "site_not_allowed", "") : error;
    }
  }

  private isReachable(): Promise<boolean> {
    return request(`${this.origin}/public/widget.js`, {}).then(
      () => true,
      () => false,
    );
  }

  private about(): Record<string, string> {
    const session = this.host.session();
    const resource = this.host.context()?.["resource"];
    return { ...(session ? { session_id: session } : {}), ...(typeof resource === "string" ? { resource } : {}) };
  }

  async conversation(): Promise<readonly Turn[]> {
    if (!this.ticket().isKnown()) return [];
    const query = new URLSearchParams(this.about()).toString();
    const found = (await (await this.send(`/conversation${query ? `?${query}` : ""}`)).json()) as { turns: Turn[] };
    return found.turns;
  }

  async ask(question: string, history: readonly Message[] | null, key: string): Promise<Response> {
    const authorization = await this.host.authorization();
    const session = this.host.session();
    const context = this.host.context();
    const headers = { Accept: "text/event-stream", "Idempotency-Key": key, ...(authorization ? { "X-Host-Authorization": authorization } : {}) };
    const body = { question, ...(session ? { session_id: session } : {}), ...(context ? { context } : {}), ...(history && history.length > 0 ? { history } : {}) };
    return this.send("/ask", { method: "POST", body, headers });
  }

  events(turnId: string, lastEventId: string): Promise<Response> {
    const headers = { Accept: "text/event-stream", ...(lastEventId ? { "Last-Event-ID": lastEventId } : {}) };
    return this.send(`/turns/${turnId}/events`, { headers });
  }

  async stop(turnId: string): Promise<void> {
    await this.send(`/turns/${turnId}/stop`, { method: "POST" });
  }

  async rate(turnId: string, value: 1 | 0 | -1): Promise<void> {
    await this.send(`/turns/${turnId}/feedback`, { method: "POST", body: { value } });
  }

  async reset(): Promise<void> {
    if (this.ticket().isKnown()) await this.send("/reset", { method: "POST", body: this.about() });
  }

  isAnonymous(): boolean {
    return this.ticket().isAnonymous();
  }

  async handOver(replyTo: string, note: string): Promise<Led> {
    const body = { ...this.about(), ...(replyTo ? { reply_to: replyTo } : {}), ...(note ? { note } : {}) };
    return (await (await this.send("/handover", { method: "POST", body })).json()) as Led;
  }
}
