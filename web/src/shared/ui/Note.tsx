import type { ReactNode } from "react";
import { Icon, type IconName } from "@/shared/ui/Icon";
import styles from "@/shared/ui/Note.module.css";

interface NoteProps {
  tone?: "plain" | "warning" | "error";
  icon?: IconName;
  /** In a narrow column. */
  compact?: boolean;
  testId?: string;
  children: ReactNode;
}

/** A quiet line with an icon that says what is so and what to do about it. */
export function Note({ tone = "plain", icon, compact = false, testId, children }: NoteProps) {
  return (
    <div className={[styles.note, styles[tone], compact ? styles.compact : ""].join(" ")} data-testid={testId} role={tone === "error" ? "alert" : undefined}>
      {icon ? <Icon name={icon} /> : null}
      <div className={styles.text}>{children}</div>
    </div>
  );
}
