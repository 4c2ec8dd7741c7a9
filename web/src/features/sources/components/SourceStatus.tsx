import { statusLine } from "@/features/sources/lib/status";
import { useHasModel } from "@/shared/api/queries";
import type { Source } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { iconOf, kindName } from "@/shared/lib/kinds";
import { Icon } from "@/shared/ui/Icon";
import { Progress } from "@/shared/ui/Progress";
import styles from "@/features/sources/components/SourceStatus.module.css";

/** The line under the title, and a bar only while something moves. */
export function SourceStatus({ source, onReport }: { source: Source; onReport: () => void }) {
  const t = useT();
  if (source.status === "failed") return <Failed source={source} />;
  const line = statusLine(source);
  return (
    <>
      <p className={[styles.line, styles[line.tone]].join(" ")} data-testid="source-status">
        <KindIcon source={source} />
        {line.tone === "warning" ? (
          <span className={styles.kind}>
            <Icon name="warning" size={14} />
          </span>
        ) : null}
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

/** Why it was not read. */
function Failed({ source }: { source: Source }) {
  const t = useT();
  const hasVision = useHasModel("vision");
  return (
    <p className={[styles.line, styles.failed].join(" ")}>
      <KindIcon source={source} />
      <span>
        <strong className={styles.word}>{t("status.not_read")}</strong> {statusLine(source, hasVision).text}
      </span>
    </p>
  );
}

/** What kind of source it is, as a picture and for ears. */
function KindIcon({ source }: { source: Source }) {
  const name = kindName(source);
  return (
    <span className={styles.kind} title={name}>
      <Icon name={iconOf(source)} size={14} />
      <span className="heard">{name}</span>
    </span>
  );
}
