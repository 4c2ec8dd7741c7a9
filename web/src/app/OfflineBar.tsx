import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useReachable } from "@/shared/api/connection";
import { api } from "@/shared/api/client";
import { keys } from "@/shared/api/queries";
import type { Me } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import styles from "@/app/OfflineBar.module.css";

const RETRY_MS = 5000;

/** Says that the server cannot be reached and asks again until it can; then everything on the screen is fetched anew. */
export function OfflineBar() {
  const reachable = useReachable();
  const client = useQueryClient();
  const t = useT();
  useEffect(() => {
    if (reachable) return;
    const ask = (): void => {
      api.get<Me>("/me").then(
        (me) => {
          client.setQueryData(keys.me, me);
          void client.invalidateQueries();
        },
        () => undefined, // still away: the next round asks again
      );
    };
    const timer = setInterval(ask, RETRY_MS);
    addEventListener("online", ask);
    return () => {
      clearInterval(timer);
      removeEventListener("online", ask);
    };
  }, [reachable, client]);
  return (
    <div role="status">
      {reachable ? null : (
        <p className={styles.bar} data-testid="offline">
          {t("error.offline")}
        </p>
      )}
    </div>
  );
}
