/** Elements made by hand: the widget has no framework, no markup from text and no style attribute. */

type Attributes = Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>;

/** An element; functions become listeners (`onclick` → "click"), true an empty attribute, null and false none. */
export function el<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}

const PATHS = {
  chat: "M3.5 5A1.5 1.5 0 0 1 5 3.500h10A1.5 1.5 0 0 1 16.500 5v7a1.500 1.500 0 0 1-1.500 1.500H9L5.500 16.500v-3H5A1.500 1.500 0 0 1 3.500 12z",
  close: "m5 5 10 10M15 5 5 15",
  send: "M10 16V4.500m-5 5 5-5 5 5",
  stop: "M5.500 5.500h9v9h-9z",
  reset: "M4 8.500h8a4 4 0 0 1 0 8H8M7.500 5 4 8.500 7.500 12",
  person: "M10 10a3.200 3.200 0 1 0 0-6.400 3.200 3.200 0 0 0 0 6.400zM3.800 16.800c.8-2.600 3.200-4 6.200-4s5.400 1.400 6.200 4",
  up: "M6.500 16V8.500l3-5c1.300 0 1.700 1 1.500 2l-.5 3h4a1.500 1.500 0 0 1 1.500 1.800l-.8 4.200a1.900 1.900 0 0 1-1.900 1.500zM6.500 16H4V8.500h2.500",
  down: "M6.500 4v7.500l3 5c1.300 0 1.700-1 1.500-2l-.5-3h4a1.500 1.500 0 0 0 1.500-1.800l-.8-4.200A1.900 1.900 0 0 0 13.300 4zM6.500 4H4v7.500h2.500",
  found: "m4 10.500 4 4 8-9",
  partly: "M10 16.500a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM10 3.500v13M12 4.500v11M14 6v8",
  number_differs: "M4.500 8h11m-11 4h11M12.500 4.500l-5 11",
  not_found: "m5.500 5.500 9 9m0-9-9 9",
  external: "M8 4.500H4.500v11h11V12M11 4h5v5m0-5-7 7",
} as const;

export type IconName = keyof typeof PATHS;
const SVG = "http://www.w3.org/2000/svg";

/** A picture beside words: never alone, so it is hidden from screen readers. */
export function icon(name: IconName, size = 20): SVGElement {
  const drawn = document.createElementNS(SVG, "svg");
  const given = { class: "icon", width: size, height: size, viewBox: "0 0 20 20", "aria-hidden": "true", focusable: "false" };
  for (const [attribute, value] of Object.entries(given)) drawn.setAttribute(attribute, String(value));
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  drawn.append(path);
  return drawn;
}

/** A button with an icon whose name is read out. */
export function iconButton(name: IconName, label: string, onclick: () => void, more: Attributes = {}): HTMLButtonElement {
  return el("button", { type: "button", class: "icon-button", "aria-label": label, title: label, onclick, ...more }, icon(name));
}
