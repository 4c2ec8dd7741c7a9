/** Who works on an assistant, and the secrets with which a server asks for tokens. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import { all } from "@/shared/api/queries";
import type { components } from "@/shared/api/openapi";
import { uuid } from "@/shared/lib/ids";
import { toastFailure } from "@/shared/ui/failed";
import type { Assistant } from "@/features/assistants/api";

type Schemas = components["schemas"];
export type Member = Schemas["MemberRead"];
export type Token = Schemas["TokenRead"];

const membersKey = (id: string) => ["assistants", id, "members"] as const;

export function useMembers(id: string) {
  return useQuery({ queryKey: membersKey(id), queryFn: ({ signal }) => all<Member>(`/assistants/${id}/members`, signal) });
}

/** Lets somebody in, or gives a member another role. */
export function usePutMember(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: Schemas["MemberAdd"]) => api.post<Member>(`/assistants/${id}/members`, asked),
    onSettled: () => client.invalidateQueries({ queryKey: membersKey(id) }),
  });
}

export function useTakeOut(id: string, onDone: (member: Member) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (member: Member) => api.del(`/assistants/${id}/members/${member.person_id}`),
    onSuccess: (_, member) => onDone(member),
    onSettled: () => client.invalidateQueries({ queryKey: membersKey(id) }),
    onError: toastFailure,
  });
}

const TOKENS = ["tokens"] as const;
const MARK_CHARS = 8;
/** Ends the name of a secret that was made for this assistant. */
const markOf = (row: Assistant): string => `(${row.id.slice(0, MARK_CHARS)})`;

/** The secrets that the asker made for this assistant's server. */
export function useSecrets(row: Assistant) {
  return useQuery({
    queryKey: TOKENS,
    queryFn: ({ signal }) => all<Token>("/tokens", signal),
    select: (tokens) => tokens.filter((one) => one.name.endsWith(markOf(row))),
  });
}

/** A new one; its text is in the answer, this once. */
export function useMakeSecret(row: Assistant) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.post<Schemas["TokenMade"]>("/tokens", { name: `${row.name.slice(0, 200)} ${markOf(row)}`, scopes: ["ask"] }, { idempotencyKey: uuid() }),
    onSettled: () => client.invalidateQueries({ queryKey: TOKENS }),
  });
}

export function useEndSecret(onDone: (token: Token) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (token: Token) => api.del(`/tokens/${token.id}`),
    onSuccess: (_, token) => onDone(token),
    onSettled: () => client.invalidateQueries({ queryKey: TOKENS }),
    onError: toastFailure,
  });
}
