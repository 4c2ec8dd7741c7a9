import { useId, useRef, type KeyboardEvent, type ReactNode } from "react";
import { flushSync } from "react-dom";
import { Icon, type IconName } from "@/shared/ui/Icon";
import styles from "@/shared/ui/Tabs.module.css";

export interface TabsProps<T extends string> {
  label: string;
  value: T;
  onChange: (value: T) => void;
  tabs: { value: T; label: string; icon?: IconName }[];
  children: ReactNode;
}

/** Tabs over one panel; arrows move and choose, as the pattern of the platform says. */
export function Tabs<T extends string>({ label, value, onChange, tabs, children }: TabsProps<T>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const at = tabs.findIndex((tab) => tab.value === value);
    const step = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const next = step === undefined ? undefined : tabs[(step + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    // Now, so that a field of the new panel that takes the focus does so before the tab gets it: arrows stay on the tabs.
    flushSync(() => onChange(next.value));
    list.current?.querySelector<HTMLElement>(`[data-value="${next.value}"]`)?.focus();
  };
  return (
    <div>
      <div ref={list} role="tablist" aria-label={label} className={styles.list} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.value}
            type="button"
            role="tab"
            id={`${id}-${tab.value}`}
            data-value={tab.value}
            aria-selected={tab.value === value}
            aria-controls={`${id}-panel`}
            tabIndex={tab.value === value ? 0 : -1}
            className={styles.tab}
            onClick={() => onChange(tab.value)}
          >
            {tab.icon ? <Icon name={tab.icon} size={16} /> : null}
            {tab.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${value}`} className={styles.panel}>
        {children}
      </div>
    </div>
  );
}
