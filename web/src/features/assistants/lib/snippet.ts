/** The lines that a site puts into its pages, and what its policy must allow. */

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** For anybody on a public site. */
export function publicSnippet(origin: string, slug: string): string {
  return `<script src="${escaped(origin)}/public/widget.js" data-assistant="${escaped(slug)}" async></script>`;
}

/** For people who are signed in at the host application: its own server gives the token. */
export function signedInSnippet(origin: string, slug: string): string {
  return `<script src="${escaped(origin)}/public/widget.js" data-assistant="${escaped(slug)}"\n  data-token-url="/assistant-token" async></script>`;
}

export const SERVERS = ["curl", "Python", "JavaScript"] as const;
export type Server = (typeof SERVERS)[number];

/** What the host's own server does at `/assistant-token`, for the person it has signed in. */
export function serverSnippet(server: Server, origin: string, id: string): string {
  const address = `${origin}/api/v1/assistants/${id}/token`;
  if (server === "curl") {
    return `curl -X POST ${address} \\\n  -H "Authorization: Bearer $SOURCEBOOK_TOKEN" \\\n  -H "Content-Type: application/json" \\\n  -d '{"subject": "your-id-of-this-person"}'`;
  }
  if (server === "Python") {
    return [
      '@app.post("/assistant-token")',
      "def assistant_token(person: SignedIn):",
      "    answer = httpx.post(",
      `        "${address}",`,
      '        headers={"Authorization": f"Bearer {os.environ[\'SOURCEBOOK_TOKEN\']}"},',
      '        json={"subject": str(person.id)},',
      "    )",
      "    return answer.raise_for_status().json()",
    ].join("\n");
  }
  return [
    'app.post("/assistant-token", requireSignIn, async (request, response) => {',
    `  const answer = await fetch("${address}", {`,
    '    method: "POST",',
    '    headers: { Authorization: `Bearer ${process.env.SOURCEBOOK_TOKEN}`, "Content-Type": "application/json" },',
    "    body: JSON.stringify({ subject: String(request.user.id) }),",
    "  });",
    "  response.status(answer.status).json(await answer.json());",
    "});",
  ].join("\n");
}

/** What a page's Content-Security-Policy must allow. */
export const policy = (origin: string): string => `script-src ${origin}; connect-src ${origin}`;

/** The beginning of a web address, as browsers send it; null for anything else. */
export function originOf(given: string): string | null {
  try {
    const url = new URL(given.trim());
    return /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" ? url.origin : null;
  } catch {
    return null;
  }
}
