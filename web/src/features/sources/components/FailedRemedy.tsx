import { RemedyWay } from "@/features/sources/components/RemedyWay";
import { remediesOf } from "@/features/sources/lib/reasons";
import { useHasModel } from "@/shared/api/queries";
import type { Source } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import styles from "@/features/sources/components/FailedRemedy.module.css";

interface RemedyProps {
  source: Source;
  notebookId: string;
  onDetails: () => void;
}

const WAITS_FOR_ITS_PERSON = new Set<Source["status"]>(["needs_approval", "stopped", "paused", "failed"]);

/** The one remedy of a source that waits for its person: a password, a yes, another try, a connection. */
export function FailedRemedy(props: RemedyProps) {
  const { source } = props;
  if (WAITS_FOR_ITS_PERSON.has(source.status)) return <Waiting {...props} />;
  if (!source.stale || source.status !== "ready") return null;
  return (
    <p className={styles.ways}>
      <RemedyWay remedy="reread" source={source} notebookId={props.notebookId} look="link" />
    </p>
  );
}

function Waiting({ source, notebookId, onDetails }: RemedyProps) {
  const t = useT();
  const hasVision = useHasModel("vision");
  const remedy = remediesOf(source, hasVision)[0];
  return (
    <div className={styles.ways}>
      {remedy ? <RemedyWay remedy={remedy} source={source} notebookId={notebookId} look="link" /> : null}
      {source.status === "failed" && remedy !== "password" ? (
        <Button look="link" small className={styles.quiet} onClick={onDetails}>
          {t("remedy.details")}
        </Button>
      ) : null}
    </div>
  );
}
