import type { Health } from "@/shared/api/types";
import { bytes, date, useT } from "@/shared/i18n/i18n";
import styles from "@/features/health/components/Health.module.css";

/** Disk, version, last backup. */
export function ServerFacts({ health }: { health: Health }) {
  const t = useT();
  const disk = health.disk;
  const facts = [
    [t("health.disk"), disk ? t("health.disk_value", { free: bytes(disk.free_bytes), total: bytes(disk.total_bytes) }) : t("ui.unknown")],
    [t("health.version"), health.version],
    [t("health.backup"), health.last_backup_at ? date(health.last_backup_at, { dateStyle: "medium", timeStyle: "short" }) : t("health.no_backup")],
  ];
  return (
    <section>
      <h2 className={styles.heading}>{t("health.server")}</h2>
      <div className={styles.card}>
        <table className={styles.table}>
          <tbody>
            {facts.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
