import { age, queueName } from "@/features/health/lib";
import type { Health } from "@/shared/api/types";
import { useT } from "@/shared/i18n/i18n";
import styles from "@/features/health/components/Health.module.css";

/** How much waits, for how long, how much is being worked on. */
export function Queues({ queues }: { queues: Health["queues"] }) {
  const t = useT();
  return (
    <section>
      <h2 className={styles.heading}>{t("health.queues")}</h2>
      <div className={[styles.card, styles.scroll].join(" ")} role="region" aria-label={t("health.queues")} tabIndex={0}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{t("health.queue")}</th>
              <th scope="col" className={styles.number}>
                {t("health.waiting")}
              </th>
              <th scope="col" className={styles.number}>
                {t("health.oldest")}
              </th>
              <th scope="col" className={styles.number}>
                {t("health.running")}
              </th>
            </tr>
          </thead>
          <tbody>
            {queues.length === 0 ? (
              <tr>
                <td colSpan={4} className={styles.quiet}>
                  {t("health.no_queues")}
                </td>
              </tr>
            ) : null}
            {queues.map((row) => (
              <tr key={row.queue}>
                <th scope="row">{queueName(row.queue)}</th>
                <td className={styles.number}>{row.waiting}</td>
                <td className={styles.number}>{age(row.oldest_s)}</td>
                <td className={styles.number}>{row.running}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
