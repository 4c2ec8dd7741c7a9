/** What the widget needs of whoever answers: the public tree for visitors, the signed-in API for its owner's *Try it*. */

import type { Done } from "@/features/chat/lib/events";
import type { Turn } from "@/shared/api/types";

export interface Look {
  greeting?: string | null;
  placeholder?: string | null;
  colour?: string | null;
  position?: "right" | "left" | null;
}

export type HandoverKind = "none" | "link" | "mail" | "webhook";

/** An assistant as a visitor meets it. */
export interface Met {
  name: string;
  look: Look;
  language: string | null;
  handover: HandoverKind;
  /** The conversation is kept on the server; else it is sent along with each question. */
  keeps: boolean;
}

export interface Message {
  role: "user" | "assistant";
  content: string;
}

export interface Led {
  kind: "link" | "mail" | "webhook";
  to: string | null;
  queued: boolean;
}

/** A turn that has ended, from the stream's last event or from a stored row: the same fields. */
export type Ended = Pick<Done, "turn_id" | "finish" | "answer" | "citations" | "sources" | "checks" | "coverage" | "closest" | "cards" | "fallback" | "route">;

export interface WidgetApi {
  meet(): Promise<Met>;
  /** Oldest first; none for who never asked. */
  conversation(): Promise<readonly Turn[]>;
  /** The response is an event stream. The same key finds the same turn again. */
  ask(question: string, history: readonly Message[] | null, key: string): Promise<Response>;
  events(turnId: string, lastEventId: string): Promise<Response>;
  stop(turnId: string): Promise<void>;
  rate(turnId: string, value: 1 | 0 | -1): Promise<void>;
  reset(): Promise<void>;
  /** Whether nobody knows who asks, so that a person could answer only where the visitor says they are reached. */
  isAnonymous(): boolean;
  handOver(replyTo: string, note: string): Promise<Led>;
}

/** A refusal, in the server's own sentence where there is one. Status 0: the request did not come through. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryAfterS: number | null;

  constructor(status: number, code: string, message: string, retryAfterS: number | null = null) {
    super(message);
    this.name = "Refused";
    this.status = status;
    this.code = code;
    this.retryAfterS = retryAfterS;
  }
}
