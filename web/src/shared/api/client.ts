/** The only place that talks HTTP: one function per verb, one error type, the CSRF header, sign-out noticed in one place. */
import { reached } from "@/shared/api/connection";

/** What the gateway refused, in its own words. `code` is stable; `message` is a sentence for a person. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly requestId: string | null;
  readonly retryAfterS: number | null;
  readonly detail: unknown;

  constructor(fields: { code: string; message: string; status: number; requestId?: string | null; retryAfterS?: number | null; detail?: unknown }) {
    super(fields.message);
    this.name = "ApiError";
    this.code = fields.code;
    this.status = fields.status;
    this.requestId = fields.requestId ?? null;
    this.retryAfterS = fields.retryAfterS ?? null;
    this.detail = fields.detail;
  }
}

/** Code of an ApiError that never reached the gateway. */
export const OFFLINE = "offline";
const BASE = "/api/v1";

const signedOut = new Set<() => void>();
/** Calls `tell` whenever an answer is 401; gives back the way to stop. */
export function onSignedOut(tell: () => void): () => void {
  signedOut.add(tell);
  return () => signedOut.delete(tell);
}

export function apiUrl(path: string): string {
  return `${BASE}${path}`;
}

/** Headers of a changing request: the CSRF cookie echoed, as the gateway asks of browsers. */
export function csrfHeaders(): Record<string, string> {
  const found = /(?:^|;\s*)sourcebook_csrf=([^;]*)/.exec(document.cookie);
  return found?.[1] ? { "X-Sourcebook-CSRF": decodeURIComponent(found[1]) } : {};
}

interface Options {
  body?: unknown;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
  idempotencyKey?: string;
}

/** A raw request for streams: the Response when it is 2xx, else the ApiError is thrown. */
export async function send(method: string, path: string, options: Options = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(apiUrl(path), requestOf(method, options));
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    reached(false);
    throw new ApiError({ code: OFFLINE, message: "offline", status: 0 });
  }
  reached(true);
  if (!response.ok) throw await toError(response);
  return response;
}

function requestOf(method: string, options: Options): RequestInit {
  const headers: Record<string, string> = { Accept: "application/json", ...options.headers };
  if (method !== "GET") Object.assign(headers, csrfHeaders());
  if (options.idempotencyKey) headers["Idempotency-Key"] = options.idempotencyKey;
  const request: RequestInit = { method, headers, credentials: "same-origin", signal: options.signal ?? null };
  if (options.body instanceof FormData) return { ...request, body: options.body };
  if (options.body === undefined) return request;
  headers["Content-Type"] = "application/json";
  return { ...request, body: JSON.stringify(options.body) };
}

async function toError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  return errorFrom(response.status, text, response.headers.get("Retry-After"), response.headers.get("X-Request-ID"));
}

/** The ApiError of a refused answer; also for uploads, which do not go through fetch. */
export function errorFrom(status: number, text: string, retryAfter: string | null, requestId: string | null): ApiError {
  if (status === 401) for (const tell of signedOut) tell();
  const known = problemIn(text);
  const seconds = retryAfter === null ? NaN : Number(retryAfter);
  return new ApiError({
    code: known?.code ?? `http_${status}`,
    message: known?.message ?? "",
    status,
    requestId: known?.request_id ?? requestId,
    retryAfterS: Number.isFinite(seconds) ? seconds : null,
    detail: known?.detail,
  });
}

interface Refusal {
  code?: string;
  message?: string;
  request_id?: string;
  detail?: unknown;
}
function problemIn(text: string): Refusal | null {
  try {
    const body = JSON.parse(text) as { error?: Refusal } | null;
    return body?.error ?? null;
  } catch {
    return null; // a proxy's page, not the gateway's answer
  }
}

async function json<T>(method: string, path: string, options: Options = {}): Promise<T> {
  const response = await send(method, path, options);
  if (response.status === 204) return undefined as T;
  return (await response.json()) as T;
}

export const api = {
  get: <T>(path: string, signal?: AbortSignal) => json<T>("GET", path, { signal }),
  post: <T>(path: string, body?: unknown, options: Omit<Options, "body"> = {}) => json<T>("POST", path, { ...options, body }),
  put: <T>(path: string, body?: unknown) => json<T>("PUT", path, { body }),
  patch: <T>(path: string, body: unknown) => json<T>("PATCH", path, { body }),
  del: (path: string) => json<void>("DELETE", path),
};
