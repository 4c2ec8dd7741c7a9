import type { HealthLine } from "@/shared/api/types";
import { ago, useT, type Key } from "@/shared/i18n/i18n";
import { Icon, type IconName } from "@/shared/ui/Icon";
import styles from "@/features/health/components/HealthLines.module.css";

const NAMES: Record<string, Key> = {
  database: "health.name.database",
  queue_bell: "health.name.queue_bell",
  storage: "health.name.storage",
  chat: "health.name.chat",
  embedding: "health.name.embedding",
  vision: "health.name.vision",
  speech: "health.name.speech",
  voice: "health.name.voice",
  workers_ingest: "health.name.workers_ingest",
  workers_rag: "health.name.workers_rag",
};
const STATES: Record<HealthLine["state"], [IconName, Key]> = {
  good: ["check", "health.good"],
  slow: ["half", "health.slow"],
  away: ["cross", "health.away"],
  off: ["minus", "health.off"],
};

/** One line each: state in icon, word and colour; what is so, since when, what to do. */
export function HealthLines({ items }: { items: HealthLine[] }) {
  const t = useT();
  const away = items.filter((line) => line.state === "away").length;
  const slow = items.filter((line) => line.state === "slow").length;
  const sum = away > 0 ? t("health.some_away", { n: away }) : slow > 0 ? t("health.some_slow", { n: slow }) : t("health.all_good");
  return (
    <section>
      <p className={styles.sum} role="status" data-state={away > 0 ? "away" : slow > 0 ? "slow" : "good"}>
        {sum}
      </p>
      <ul className={styles.lines}>
        {items.map((line) => (
          <Line key={line.name} line={line} />
        ))}
      </ul>
    </section>
  );
}

function Line({ line }: { line: HealthLine }) {
  const t = useT();
  const [icon, word] = STATES[line.state] ?? STATES.off;
  const name = NAMES[line.name];
  return (
    <li className={styles.line} data-state={line.state} data-testid={`health-${line.name}`}>
      <span className={styles.name}>{name ? t(name) : line.name}</span>
      <span className={styles.state}>
        <Icon name={icon} size={16} />
        {t(word)}
      </span>
      <span className={styles.words}>
        {line.what ?? ""}
        {line.since && line.state !== "good" ? <span className={styles.since}> {t("health.since", { when: ago(line.since) })}</span> : null}
        {line.next ? <span className={styles.next}>{line.next}</span> : null}
      </span>
    </li>
  );
}
