/** My choice of sources for my questions in a notebook: kept in this browser, changes nothing for others. */
import { useCallback, useMemo } from "react";
import { useRemembered } from "@/shared/lib/remembered";

const NONE: string[] = [];

export interface Scope {
  /** Ids of the sources I have unticked. */
  leftOut: ReadonlySet<string>;
  setUsed: (sourceIds: string[], used: boolean) => void;
}

export function useScope(notebookId: string): Scope {
  const [ids, setIds] = useRemembered<string[]>(`scope.${notebookId}`, NONE);
  const leftOut = useMemo(() => new Set(ids), [ids]);
  const setUsed = useCallback(
    (sourceIds: string[], used: boolean) => {
      const next = new Set(ids);
      for (const id of sourceIds) {
        if (used) next.delete(id);
        else next.add(id);
      }
      setIds([...next]);
    },
    [ids, setIds],
  );
  return { leftOut, setUsed };
}
