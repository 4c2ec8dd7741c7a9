import { statusLine } from "@/features/sources/lib/status";
import type { Source } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Icon, type IconName } from "@/shared/ui/Icon";
import { Progress } from "@/shared/ui/Progress";
import styles from "@/features/sources/components/SourceStatus.module.css";

const KINDS: Record<Source["kind"], IconName> = { pdf: "file", markdown: "text", text: "text", url: "globe" };

/** The line under the title, and a bar only while something moves. */
export function SourceStatus({ source, onReport }: { source: Source; onReport: () => void }) {
  const t = useT();
  const line = statusLine(source);
  const kind = t(`sources.kind.${source.kind}`);
  if (source.status === "failed") {
    return (
      <p className={[styles.line, styles.failed].join(" ")}>
        <span>
          <strong className={styles.word}>{t("status.not_read")}</strong> {line.text}
        </span>
      </p>
    );
  }
  return (
    <>
      <p className={[styles.line, styles[line.tone]].join(" ")} data-testid="source-status">
        <span className={styles.kind} title={kind}>
          <Icon name={line.tone === "warning" ? "warning" : (KINDS[source.kind] ?? "file")} size={14} />
          <span className="heard">{kind}</span>
        </span>
        {line.tone === "warning" && source.status === "ready" ? (
          <button type="button" className={styles.report} onClick={onReport}>
            {line.text}
          </button>
        ) : (
          <span>{line.text}</span>
        )}
      </p>
      {source.grant === "paused" ? <p className={styles.line}>{t("sources.left_out")}</p> : null}
      {source.stale ? <p className={styles.line}>{t("sources.stale")}</p> : null}
      {line.bar ? (
        <div className={styles.bar}>
          <Progress done={line.bar.done} of={line.bar.total} label={source.title} />
        </div>
      ) : null}
    </>
  );
}
