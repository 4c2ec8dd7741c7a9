/** One source on the wire. Files go by XMLHttpRequest, the only way a page learns how much of an upload was sent. */
import type { FileOptions } from "@/features/sources/lib/uploads";
import { ApiError, apiUrl, csrfHeaders, errorFrom, OFFLINE, send } from "@/shared/api/client";
import type { Added, Problem } from "@/shared/api/types";
import { problemWords } from "@/shared/lib/problem";

export interface Outcome {
  status: number;
  items: Added[];
}
export interface Sending {
  done: Promise<Outcome>;
  abort: () => void;
}

/** Sends a file; `done` rejects with a Problem that says whether sending it again can help (`isBroken`). */
export function sendFile(path: string, file: File, fields: Readonly<FileOptions>, idempotencyKey: string, progress: (sent: number, isSent: boolean) => void): Sending {
  const request = new XMLHttpRequest();
  const form = new FormData();
  form.append("file", file, file.name);
  for (const [name, value] of Object.entries(fields)) if (value) form.append(name, value as string);
  const done = new Promise<Outcome>((resolve, reject) => {
    request.upload.onprogress = (event) => progress(event.loaded, event.loaded >= event.total);
    request.upload.onload = () => progress(file.size, true);
    request.onload = () => {
      const items = itemsIn(request.responseText);
      if (items) resolve({ status: request.status, items });
      else reject(asProblem(errorFrom(request.status, request.responseText, request.getResponseHeader("Retry-After"), request.getResponseHeader("X-Request-ID"))));
    };
    const away = (): void => reject(asProblem(new ApiError({ code: OFFLINE, message: "", status: 0 })));
    request.onerror = away;
    request.ontimeout = away;
    request.open("POST", apiUrl(path));
    const headers = { Accept: "application/json", "Idempotency-Key": idempotencyKey, ...csrfHeaders() };
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.send(form);
  });
  return { done, abort: () => request.abort() };
}

/** Sends a link or a text. */
export function sendJson(path: string, body: unknown, idempotencyKey: string): Sending {
  const abort = new AbortController();
  const done = send("POST", path, { body, idempotencyKey, signal: abort.signal }).then(
    async (response) => ({ status: response.status, items: itemsIn(await response.text()) ?? [] }),
    (error: unknown) => Promise.reject(asProblem(error)),
  );
  return { done, abort: () => abort.abort() };
}

function itemsIn(text: string): Added[] | null {
  try {
    const body = JSON.parse(text) as { items?: Added[] };
    return Array.isArray(body.items) ? body.items : null;
  } catch {
    return null; // not the gateway's answer: the status decides
  }
}

function asProblem(error: unknown): Problem & { isBroken: boolean } {
  const words = problemWords(error);
  return { code: error instanceof ApiError ? error.code : "ours", message: words.text, isBroken: words.canRetry };
}
