import type { ReactNode } from "react";
import { Icon, type IconName } from "@/shared/ui/Icon";
import styles from "@/shared/ui/Note.module.css";

/** A quiet line with an icon that says what is so and what to do about it. */
export function Note({ tone = "plain", icon, testId, children }: { tone?: "plain" | "warning" | "error"; icon?: IconName; testId?: string; children: ReactNode }) {
  return (
    <div className={[styles.note, styles[tone]].join(" ")} data-testid={testId} role={tone === "error" ? "alert" : undefined}>
      {icon ? <Icon name={icon} /> : null}
      <div className={styles.text}>{children}</div>
    </div>
  );
}
