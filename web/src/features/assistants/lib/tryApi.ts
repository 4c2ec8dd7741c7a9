/** The widget's *Try it*: the draft, through the signed-in API, with the look as it is now. Nothing is sent to anybody. */

import { api, ApiError, send } from "@/shared/api/client";
import type { Turn } from "@/shared/api/types";
import { Refused, type HandoverKind, type Led, type Look, type Met, type WidgetApi } from "@/widget/contract";
import type { Assistant } from "../api";

const STREAM = { Accept: "text/event-stream" };

/** Errors of the page's API as the widget knows them. */
async function told<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ApiError) throw new Refused(error.status, error.code, error.message, error.retryAfterS);
    throw error;
  }
}

export class TryApi implements WidgetApi {
  private conversationId: string | null = null;

  constructor(private readonly assistant: Assistant) {}

  private get handover(): { kind?: HandoverKind; to?: string | null } {
    return this.assistant.handover;
  }

  meet(): Promise<Met> {
    const { name, language, look } = this.assistant;
    return Promise.resolve({ name, language: language ?? null, look: look as Look, handover: this.handover.kind ?? "none", keeps: true });
  }

  /** A try begins empty. */
  conversation(): Promise<readonly Turn[]> {
    return Promise.resolve([]);
  }

  async ask(question: string, _history: unknown, key: string): Promise<Response> {
    // Made before the question, so that the second one goes on with it.
    this.conversationId ??= (await told(api.post<{ id: string }>(`/assistants/${this.assistant.id}/conversations`))).id;
    const body = { question, conversation_id: this.conversationId };
    return told(send("POST", `/assistants/${this.assistant.id}/ask`, { body, headers: STREAM, idempotencyKey: key }));
  }

  events(turnId: string, lastEventId: string): Promise<Response> {
    const headers = lastEventId ? { ...STREAM, "Last-Event-ID": lastEventId } : STREAM;
    return told(send("GET", `/turns/${turnId}/events`, { headers }));
  }

  stop(turnId: string): Promise<void> {
    return told(api.post<void>(`/turns/${turnId}/stop`));
  }

  rate(turnId: string, value: 1 | 0 | -1): Promise<void> {
    return told(api.post<void>(`/turns/${turnId}/feedback`, { value }));
  }

  async reset(): Promise<void> {
    const gone = this.conversationId;
    this.conversationId = null;
    if (gone) await told(api.del(`/conversations/${gone}`));
  }

  /** The form as the visitors of a public assistant see it. */
  isAnonymous(): boolean {
    return this.assistant.publication.mode === "public";
  }

  handOver(): Promise<Led> {
    const { kind, to } = this.handover;
    return Promise.resolve({ kind: kind === "link" || kind === "webhook" ? kind : "mail", to: kind === "link" ? (to ?? null) : null, queued: false });
  }
}
