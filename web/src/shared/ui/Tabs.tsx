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

/** Arrows, Home and End move between tabs and choose, as the pattern of the platform says; `list` goes on the tab list. */
export function useTabKeys<T extends string>(values: readonly T[], value: T, onChange: (value: T) => void) {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const at = values.indexOf(value);
    const step = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: values.length - 1 }[event.key];
    if (step === undefined) return;
    const to = (step + values.length) % values.length;
    event.preventDefault();
    // Now, so that a field of the new panel that takes the focus does so before the tab gets it: arrows stay on the tabs.
    flushSync(() => onChange(values[to] ?? value));
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[to]?.focus();
  };
  return { list, move };
}

/** Tabs over one panel. */
export function Tabs<T extends string>({ label, value, onChange, tabs, children }: TabsProps<T>) {
  const id = useId();
  const { list, move } = useTabKeys(
    tabs.map((tab) => tab.value),
    value,
    onChange,
  );
  return (
    <div>
      <div ref={list} role="tablist" aria-label={label} className={styles.list} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.value}
            type="button"
            role="tab"
            id={`${id}-${tab.value}`}
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
