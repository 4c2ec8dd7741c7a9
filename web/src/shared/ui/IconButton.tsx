import type { ButtonHTMLAttributes, Ref } from "react";
import { Icon, type IconName } from "@/shared/ui/Icon";
import { Tooltip } from "@/shared/ui/Tooltip";
import styles from "@/shared/ui/IconButton.module.css";

export interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: IconName;
  label: string;
  small?: boolean;
  /** Keys shown beside the name, e.g. "a". */
  keys?: string;
  ref?: Ref<HTMLButtonElement>;
}

/** A button without words: its name is read out and shown on hover and focus. */
export function IconButton({ icon, label, small = false, keys, className, ...rest }: IconButtonProps) {
  const names = [styles.button, small ? styles.small : "", className ?? ""].filter(Boolean).join(" ");
  return (
    <Tooltip text={label} keys={keys}>
      <button type="button" className={names} aria-label={label} {...rest}>
        <Icon name={icon} size={small ? 16 : 20} />
      </button>
    </Tooltip>
  );
}
