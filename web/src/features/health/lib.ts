import { t, type Key } from "@/shared/i18n/i18n";

const QUEUES: Record<string, Key> = { answer: "health.queue.answer", ingest: "health.queue.ingest", make: "health.queue.make", care: "health.queue.care" };

export function queueName(queue: string): string {
  const key = QUEUES[queue];
  return key ? t(key) : queue;
}

/** An age in its largest whole unit; unknown is a dash. */
export function age(seconds: number | null): string {
  if (seconds === null) return t("ui.unknown");
  if (seconds < 90) return t("health.seconds", { n: Math.round(seconds) });
  if (seconds < 5400) return t("health.minutes", { n: Math.round(seconds / 60) });
  return t("health.hours", { n: Math.round(seconds / 3600) });
}
