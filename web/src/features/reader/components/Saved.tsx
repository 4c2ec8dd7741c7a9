import { useMutation } from "@tanstack/react-query";
import { api } from "@/shared/api/client";
import type { Source } from "@/shared/api/types";
import { date, t as translate, useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { toastFailure } from "@/shared/ui/failed";
import { Icon } from "@/shared/ui/Icon";
import { toast } from "@/shared/ui/toast";
import styles from "./Reader.module.css";

/** When a page was saved, the way to it as it is now, and fetching it anew. */
export function Saved({ source, url, savedAt }: { source: Source; url: string; savedAt: string | null }) {
  const t = useT();
  const fetching = useMutation({
    mutationFn: () => api.post<Source>(`/sources/${source.id}/reread`, {}),
    onSuccess: () => toast(translate("reader.fetching")),
    onError: toastFailure,
  });
  const host = hostOf(url);
  return (
    <div className={styles.saved} data-testid="saved">
      <p>{savedAt ? t("reader.saved", { date: date(savedAt) }) : null}</p>
      {host ? (
        <a href={url} target="_blank" rel="noopener noreferrer nofollow">
          {t("reader.original")} ({host}) <Icon name="external" size={14} />
        </a>
      ) : null}
      <Button look="link" disabled={fetching.isPending} onClick={() => fetching.mutate()}>
        {t("reader.fetchAgain")}
      </Button>
    </div>
  );
}

/** The host of a web address, or null for any other. */
function hostOf(url: string): string | null {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.host : null;
}
