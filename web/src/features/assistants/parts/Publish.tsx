import { usePublish, type Assistant, type Published } from "@/features/assistants/api";
import { Embedding } from "@/features/assistants/parts/Embedding";
import { ForWhom } from "@/features/assistants/parts/ForWhom";
import { Secrets } from "@/features/assistants/parts/Secrets";
import { ago, useT } from "@/shared/i18n/i18n";
import { Button } from "@/shared/ui/Button";
import { Note } from "@/shared/ui/Note";
import { Trouble } from "@/shared/ui/Trouble";
import styles from "@/features/assistants/components/Assistants.module.css";

/** Publishes the draft after its test questions, says for whom, and gives what the site embeds. */
export function Publish({ row, canChange }: { row: Assistant; canChange: boolean }) {
  const t = useT();
  const publish = usePublish(row.id);
  const isFirst = !row.published_at;
  return (
    <div className={`${styles.form} ${styles.wide}`}>
      <section className={styles.part}>
        <h2>{t("assistants.draftAndPublished")}</h2>
        <p data-testid="publish-state">
          {row.published_at ? `${t("assistants.publishedAgo", { ago: ago(row.published_at) })} ${t(row.has_changes ? "assistants.hasChangesNote" : "assistants.noChanges")}` : t("assistants.draftNote")}
        </p>
        {canChange ? (
          <p className={styles.ways}>
            <Button look="primary" disabled={publish.isPending} onClick={() => publish.mutate({ when: "always", isFirst })}>
              {t("assistants.publishNow")}
            </Button>
            <Button disabled={publish.isPending} onClick={() => publish.mutate({ when: "never", isFirst })}>
              {t("assistants.onlyLook")}
            </Button>
            {publish.isPending ? <span role="status">{t("assistants.testing")}</span> : null}
          </p>
        ) : null}
        {publish.isError ? <Trouble error={publish.error} /> : null}
        {publish.data && !publish.isPending ? <Outcome told={publish.data} /> : null}
      </section>
      <ForWhom row={row} canChange={canChange} />
      {row.publication.mode === "off" ? null : <Embedding row={row} />}
      {row.publication.mode === "signed_in" && canChange ? <Secrets row={row} /> : null}
    </div>
  );
}

/** "61 of 64 as before, 3 changed", and which; the first time how many are answered as they should be. */
function Outcome({ told }: { told: Published & { isFirst: boolean } }) {
  const t = useT();
  if (told.running) return <Note icon="refresh">{t("assistants.stillRunning")}</Note>;
  return (
    <Note icon={told.published ? "check" : "help"} tone={told.changed ? "warning" : "plain"} testId="publish-outcome">
      <p>
        {outcomeWords(told, t)} {t(told.published ? "assistants.isPublished" : "assistants.isNotPublished")}
      </p>
      {told.questions && told.questions.length > 0 ? (
        <ul className={styles.questions}>
          {told.questions.map((one) => (
            <li key={one.question_id} dir="auto">
              {one.question} <strong>{t(one.is_right ? "assistants.nowRight" : "assistants.nowWrong")}</strong>
            </li>
          ))}
        </ul>
      ) : null}
    </Note>
  );
}

function outcomeWords(told: Published & { isFirst: boolean }, t: ReturnType<typeof useT>): string {
  if (told.total === 0) return t("assistants.noTests");
  if (told.isFirst) return t("assistants.asWanted", { n: told.right, total: told.total });
  return t("assistants.asBefore", { n: told.as_before, total: told.total, changed: told.changed });
}
