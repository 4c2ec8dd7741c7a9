import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import { Icon, type IconName } from "@/shared/ui/Icon";
import { IconButton } from "@/shared/ui/IconButton";
import { usePlacement } from "@/shared/ui/placement";
import styles from "@/shared/ui/Menu.module.css";

export interface MenuItem {
  label: string;
  icon?: IconName;
  danger?: boolean;
  checked?: boolean;
  disabled?: boolean;
  /** A second, quiet line: what it does or why it cannot be done now. */
  note?: string;
  run: () => void;
}

export interface MenuProps {
  label: string;
  icon?: IconName;
  items: (MenuItem | "line")[];
  align?: "start" | "end";
  small?: boolean;
}

/** A button that opens a list of commands: arrows, Home, End, first letters, Enter; Esc gives focus back. */
export function Menu({ label, icon = "more", items, align = "end", small = false }: MenuProps) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <>
      <IconButton ref={button} icon={icon} label={label} small={small} aria-haspopup="menu" aria-expanded={open} onClick={() => setOpen(!open)} />
      {open ? <List anchor={button} label={label} items={items} align={align} onClose={close} onLeave={() => setOpen(false)} /> : null}
    </>
  );
}

interface ListProps {
  anchor: React.RefObject<HTMLButtonElement | null>;
  label: string;
  items: (MenuItem | "line")[];
  align: "start" | "end";
  onClose: () => void;
  onLeave: () => void;
}

function List({ anchor, label, items, align, onClose, onLeave }: ListProps) {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => list.current?.showPopover?.(), []); // shown before it is measured
  usePlacement(anchor, list, true, { align });
  useEffect(() => choices(list.current)[0]?.focus(), []);
  useEffect(() => {
    const press = (event: PointerEvent): void => {
      const target = event.target as Node;
      if (!list.current?.contains(target) && !anchor.current?.contains(target)) onLeave();
    };
    document.addEventListener("pointerdown", press, true);
    return () => document.removeEventListener("pointerdown", press, true);
  }, [anchor, onLeave]);
  return (
    <div ref={list} popover="manual" role="menu" aria-label={label} className={styles.menu} onKeyDown={(event) => move(event, list.current, onClose)}>
      {items.map((item, at) =>
        item === "line" ? (
          <div key={`line-${at}`} role="separator" className={styles.line} />
        ) : (
          <Choice
            key={item.label}
            item={item}
            onRun={() => {
              onClose();
              item.run();
            }}
          />
        ),
      )}
    </div>
  );
}

function Choice({ item, onRun }: { item: MenuItem; onRun: () => void }) {
  const isCheck = item.checked !== undefined;
  return (
    <button
      type="button"
      role={isCheck ? "menuitemcheckbox" : "menuitem"}
      aria-checked={isCheck ? item.checked : undefined}
      aria-disabled={item.disabled}
      tabIndex={-1}
      className={[styles.item, item.danger ? styles.danger : ""].join(" ")}
      onClick={() => !item.disabled && onRun()}
    >
      {isCheck ? <span className={styles.tick}>{item.checked ? <Icon name="check" size={16} /> : null}</span> : null}
      {item.icon ? <Icon name={item.icon} size={16} /> : null}
      <span>
        {item.label}
        {item.note ? <span className={styles.note}>{item.note}</span> : null}
      </span>
    </button>
  );
}

function choices(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
}

function move(event: KeyboardEvent, list: HTMLElement | null, onClose: () => void): void {
  const all = choices(list);
  const at = all.indexOf(document.activeElement as HTMLElement);
  const jumps: Record<string, number> = { ArrowDown: (at + 1) % all.length, ArrowUp: (at - 1 + all.length) % all.length, Home: 0, End: all.length - 1 };
  const next = jumps[event.key] ?? (event.key.length === 1 ? byLetter(all, at, event.key) : -1);
  if (event.key === "Escape" || event.key === "Tab") onClose();
  else if (next < 0) return;
  else all[next]?.focus();
  event.preventDefault();
  event.stopPropagation();
}

function byLetter(all: HTMLElement[], at: number, letter: string): number {
  if (letter === " ") return -1;
  const order = [...all.keys()].map((step) => (at + 1 + step) % all.length);
  return order.find((i) => all[i]?.textContent?.trim().toLowerCase().startsWith(letter.toLowerCase())) ?? -1;
}
