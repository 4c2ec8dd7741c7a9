/** Whether the things of a holder (misses, test questions, sources) are a notebook's or an assistant's: the paths differ in one word. */
import { createContext, useContext } from "react";

export type HolderKind = "notebooks" | "assistants";

const Kind = createContext<HolderKind>("notebooks");
export const AskedHolder = Kind.Provider;

export function useHolderKind(): HolderKind {
  return useContext(Kind);
}

/** "/notebooks/…" or "/assistants/…", as the screen around says. */
export function useHolderPath(id: string): string {
  return `/${useHolderKind()}/${id}`;
}
