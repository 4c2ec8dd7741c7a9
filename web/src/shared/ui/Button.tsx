import type { ButtonHTMLAttributes, Ref } from "react";
import { Icon, type IconName } from "@/shared/ui/Icon";
import styles from "@/shared/ui/Button.module.css";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: "plain" | "primary" | "quiet" | "danger" | "link";
  icon?: IconName;
  small?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

/** A button with words; `primary` once a view, `quiet` without a border, `link` inside a sentence. */
export function Button({ look = "plain", icon, small = false, className, children, ...rest }: ButtonProps) {
  const names = [styles.button, styles[look], small ? styles.small : "", className ?? ""].filter(Boolean).join(" ");
  return (
    <button type="button" className={names} {...rest}>
      {icon ? <Icon name={icon} size={small ? 16 : 20} /> : null}
      {children}
    </button>
  );
}
