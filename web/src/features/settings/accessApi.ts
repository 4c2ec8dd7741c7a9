/** Keys for the asker's own programs: API tokens, and webhooks that tell them what happened. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { all } from "@/shared/api/queries";
import type { components } from "@/shared/api/openapi";
import { uuid } from "@/shared/lib/ids";
import { toastFailure } from "@/shared/ui/failed";

type Schemas = components["schemas"];
export type Token = Schemas["TokenRead"];
export type TokenAsk = Schemas["TokenCreate"];
export type Webhook = Schemas["WebhookRead"];
export type WebhookAsk = Schemas["WebhookCreate"];
export type HookEvent = Webhook["events"][number];

/** What is shown once: its text is in no later answer of the server. */
export interface Fresh {
  readonly id: string;
  readonly text: string;
}

const TOKENS = ["tokens"] as const;
const WEBHOOKS = ["webhooks"] as const;

export function useTokens() {
  return useQuery({ queryKey: TOKENS, queryFn: ({ signal }) => all<Token>("/tokens", signal) });
}

export function useWebhooks() {
  return useQuery({ queryKey: WEBHOOKS, queryFn: ({ signal }) => all<Webhook>("/webhooks", signal) });
}

export function useMakeToken(onMade: (made: Fresh) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: TokenAsk) => api.post<Schemas["TokenMade"]>("/tokens", asked, { idempotencyKey: uuid() }),
    onSuccess: (made) => onMade({ id: made.id, text: made.token }),
    onSettled: () => client.invalidateQueries({ queryKey: TOKENS }),
  });
}

export function useMakeWebhook(onMade: (made: Fresh) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: WebhookAsk) => api.post<Schemas["WebhookMade"]>("/webhooks", asked, { idempotencyKey: uuid() }),
    onSuccess: (made) => onMade({ id: made.id, text: made.secret }),
    onSettled: () => client.invalidateQueries({ queryKey: WEBHOOKS }),
  });
}

/** Ends a token or a webhook; `onDone` is called before the list is read again. */
export function useEnd(kind: "tokens" | "webhooks", onDone: (id: string) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.del(`/${kind}/${id}`),
    onSuccess: (_, id) => onDone(id),
    onSettled: () => client.invalidateQueries({ queryKey: kind === "tokens" ? TOKENS : WEBHOOKS }),
    onError: toastFailure,
  });
}
