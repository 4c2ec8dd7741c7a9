/** Copies text, and its HTML twin where the browser takes both; works on a plain http address too. True when copied. */
export async function copyText(text: string, html?: string): Promise<boolean> {
  if (isSecureContext && navigator.clipboard) {
    try {
      if (html && "ClipboardItem" in window) {
        const item = new ClipboardItem({
          "text/plain": new Blob([text], { type: "text/plain" }),
          "text/html": new Blob([html], { type: "text/html" }),
        });
        await navigator.clipboard.write([item]);
      } else await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // permission refused or focus elsewhere: the old way below needs neither
    }
  }
  return copyByEvent(text, html);
}

function copyByEvent(text: string, html?: string): boolean {
  let done = false;
  const fill = (event: ClipboardEvent): void => {
    event.clipboardData?.setData("text/plain", text);
    if (html) event.clipboardData?.setData("text/html", html);
    event.preventDefault();
    done = true;
  };
  document.addEventListener("copy", fill);
  document.execCommand("copy");
  document.removeEventListener("copy", fill);
  return done;
}
