/** The widget in its shadow root: a button at a corner with the dialog, or the dialog alone inside a page (*Try it*). */

import { Refused, type Met, type WidgetApi } from "./contract";
import { el, icon } from "./dom";
import { Panel } from "./panel";
import { sheetOf } from "./style";
import { languageOf, sayIn } from "./words";

export interface Placement {
  readonly host: HTMLElement;
  readonly api: WidgetApi;
  /** Stands inside the page, open, without its button. */
  readonly isInside?: boolean;
  /** The page's wishes, when the assistant has no language of its own. */
  readonly languages: readonly (string | null | undefined)[];
  readonly theme?: string | null;
  readonly onEnd?: (turnId: string) => void;
}

const NARROW = "(max-width: 480px)";
/** What is known of an assistant that may not be met here. */
const STRANGER: Met = { name: "Sourcebook", look: {}, language: null, handover: "none", keeps: true };

/** Puts the widget into `host`; gives the way to take it out again. Nothing is shown until the assistant is met. */
export async function place(placement: Placement): Promise<() => void> {
  const { host, api } = placement;
  let refused: unknown = null;
  const met = await api.meet().catch((error: unknown) => {
    refused = error;
    return STRANGER;
  });
  if (refused instanceof Refused && refused.status === 0) throw refused; // no connection: no button that leads nowhere
  const shadow = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  shadow.adoptedStyleSheets = [sheetOf(met.look.colour)];
  host.dataset["place"] = placement.isInside ? "inside" : "outside";
  if (placement.theme === "light" || placement.theme === "dark") host.dataset["theme"] = placement.theme;
  const language = languageOf([met.language, ...placement.languages]);
  const say = sayIn(language);
  const root = el("div", { class: `root ${placement.isInside ? "inside" : "outside"} ${met.look.position === "left" ? "left" : "right"}`, lang: language });
  shadow.replaceChildren(root);

  const close = (): void => {
    panel.element.hidden = true;
    root.classList.remove("open");
    launcher.setAttribute("aria-expanded", "false");
    launcher.replaceChildren(icon("chat", 24));
    launcher.focus();
  };
  const panel = new Panel({ api, met, say, onClose: placement.isInside ? null : close, onEnd: placement.onEnd });
  const open = (): void => {
    panel.element.hidden = false;
    root.classList.add("open");
    launcher.setAttribute("aria-expanded", "true");
    launcher.replaceChildren(icon("close", 24));
    if (refused) panel.element.querySelector<HTMLElement>("[data-part=close]")?.focus();
    else panel.opened();
  };
  const launcher = el("button", { type: "button", class: "launcher", "aria-label": say("open", { name: met.name }), "aria-haspopup": "dialog", "aria-expanded": "false", "aria-controls": "panel", "data-part": "launcher" });
  launcher.append(icon("chat", 24));
  launcher.addEventListener("click", () => (panel.element.hidden ? open() : close()));
  if (refused) panel.refuse(refused);
  if (placement.isInside) {
    root.append(panel.element);
    if (!refused) void panel.talk.load().catch((error: unknown) => panel.trouble(error));
  } else {
    panel.element.hidden = true;
    root.append(panel.element, launcher);
    panel.element.addEventListener("keydown", (event) => keepInside(event, panel.element, shadow));
  }
  return () => host.remove();
}

/** On a narrow screen the dialog covers the page: the keyboard stays in it. */
function keepInside(event: KeyboardEvent, panel: HTMLElement, shadow: ShadowRoot): void {
  if (event.key !== "Tab" || !matchMedia(NARROW).matches) return;
  const stops = [...panel.querySelectorAll<HTMLElement>("button, textarea, input, a[href], summary, [tabindex='0']")].filter((stop) => stop.offsetParent !== null);
  const [first, last] = [stops[0], stops[stops.length - 1]];
  const here = shadow.activeElement;
  if (event.shiftKey ? here === first : here === last) {
    event.preventDefault();
    (event.shiftKey ? last : first)?.focus();
  }
}
