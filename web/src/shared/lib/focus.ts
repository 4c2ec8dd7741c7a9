/** Before a list item goes: focus to the next one, else the one before, else the page's main part; never to nothing. */
export function focusAfterRemoval(item: HTMLElement | null): void {
  if (!item) return;
  const neighbour = item.nextElementSibling ?? item.previousElementSibling;
  const target = neighbour?.querySelector<HTMLElement>("a[href], button, input") ?? document.getElementById("main");
  // After the menu or dialog has given focus back to the row that is about to go.
  requestAnimationFrame(() => target?.focus());
}
