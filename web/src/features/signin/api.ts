import { api } from "@/shared/api/client";

export function signIn(token: string): Promise<void> {
  return api.post("/auth/login", { token: token.trim() });
}

export function signOut(): Promise<void> {
  return api.post("/auth/logout");
}
