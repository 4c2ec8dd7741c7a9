/** What people paste as links: one a line, with or without https://. */

export interface Links {
  urls: string[];
  bad: string[];
}

export function linksIn(text: string): Links {
  const links: Links = { urls: [], bad: [] };
  for (const line of text.split(/\r?\n/).map((part) => part.trim())) {
    if (line === "") continue;
    const url = asUrl(line);
    if (url) links.urls.push(url);
    else links.bad.push(line);
  }
  return { urls: [...new Set(links.urls)], bad: links.bad };
}

function asUrl(line: string): string | null {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(line) ? line : `https://${line}`;
  if (/\s/.test(line) || !URL.canParse(full)) return null;
  const url = new URL(full);
  const isWeb = url.protocol === "http:" || url.protocol === "https:";
  return isWeb && (url.hostname.includes(".") || url.hostname === "localhost" || full === line) ? full : null;
}

/** Whether pasted text is nothing but links. */
export function isOnlyLinks(text: string): boolean {
  const { urls, bad } = linksIn(text);
  return urls.length > 0 && bad.length === 0 && text.split(/\r?\n/).every((line) => line.trim() === "" || /^https?:\/\//i.test(line.trim()));
}
