import type { ReactNode } from "react";

export function Session({ children }: { children: ReactNode }) {
  return <>{children}</>;
}
