/** Before a list item goes: focus to the next one, else the one before, else the page's main part; never to nothing. */
export function focusAfterRemoval(item: HTMLElement | null): void {
  if (!item) return;
  const neighbour = item.nextElementSibling ?? item.previousElementSibling;
  const target = neighbour?.querySelector<HTMLElement>("a[href], button, input") ?? document.getElementById("main");
  // After the menu or dialog has given focus back to the row that is about to go.
  requestAnimationFrame(() => target?.focus());
}

/**
 * Keeps the focus on the page for good: when the element that has it is taken away (a screen, a form that is done), the
 * part of the page around it gets it, else the main part, as soon as there is one. A press on nothing is left alone.
 */
export function keepFocus(): void {
  let last: Element | null = null;
  let around: HTMLElement[] = [];
  document.addEventListener("focusin", ({ target }) => {
    last = target instanceof Element ? target : null;
    around = [];
    for (let part = last?.parentElement; part; part = part.parentElement) if (part.hasAttribute("tabindex")) around.push(part);
  });
  new MutationObserver(() => {
    if (!last || last.isConnected || document.activeElement !== document.body) return;
    const part = around.find((one) => one.isConnected) ?? document.getElementById("main");
    part?.focus({ preventScroll: true });
  }).observe(document.body, { childList: true, subtree: true });
}
