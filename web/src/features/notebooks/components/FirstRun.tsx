import { useEffect } from "react";
import { Link } from "wouter";
import { useMe, useModels } from "@/shared/api/queries";
import { useT, type Key } from "@/shared/i18n/i18n";
import { MODELS } from "@/shared/lib/addresses";
import { useRemembered } from "@/shared/lib/remembered";
import { IconButton } from "@/shared/ui/IconButton";
import styles from "@/features/notebooks/components/FirstRun.module.css";

const STEPS: [Key, Key][] = [
  ["first.one", "first.one_more"],
  ["first.two", "first.two_more"],
  ["first.three", "first.three_more"],
];

const OWN_SOURCES = 3; // the sample's own may still be on their way

/** State 1: three short steps over the sample's answer, until they are closed or a source is added. */
export function FirstRun({ notebookId, sources }: { notebookId: string; sources: number }) {
  const t = useT();
  const me = useMe();
  const maySee = me.data?.role === "owner" || me.data?.role === "admin";
  const models = useModels(maySee);
  const [seenWith, setSeenWith] = useRemembered<number>(`firstrun.${notebookId}`, -1);
  useEffect(() => {
    if (seenWith === -1 && sources > 0) setSeenWith(Math.max(sources, OWN_SOURCES));
  }, [seenWith, sources, setSeenWith]);
  if (seenWith === 0 || (seenWith > 0 && sources > seenWith)) return null;
  const writes = models.data?.items.find((item) => item.role === "chat");
  return (
    <div className={styles.room}>
      <section className={styles.strip} aria-label={t("first.label")} data-testid="first-run">
        <ol className={styles.steps}>
          {STEPS.map(([step, more], at) => (
            <li key={step} className={styles.step}>
              <span className={styles.number}>{at + 1}</span>
              <span>
                <strong>{t(step)}</strong> <span className={styles.more}>{t(more)}</span>
              </span>
            </li>
          ))}
        </ol>
        <IconButton small icon="close" label={t("ui.close")} className={styles.close} onClick={() => setSeenWith(0)} />
        {writes?.provider === "none" ? (
          <p className={styles.models}>
            {t("first.quotes_only")} <Link href={MODELS}>{t("first.connect")}</Link>
          </p>
        ) : null}
      </section>
    </div>
  );
}
