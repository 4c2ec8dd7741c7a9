/**
 * Files, links and texts on their way to the gateway: rows from the first moment, three sent at a time, a refused one
 * stays with its reason while the others go on. Kept outside React, so that going to another screen stops nothing.
 */
import { useSyncExternalStore } from "react";
import type { Capture } from "@/features/sources/api";
import { sendFile, sendJson, type Sending } from "@/features/sources/lib/send";
import type { Added, Problem, Source } from "@/shared/api/types";
import { uuid } from "@/shared/lib/ids";

/** How files are read: as the person chose in the dialog; without a choice as their settings say. */
export interface FileOptions {
  capture?: Capture;
  /** Opens protected PDFs among them. */
  password?: string;
}
export type Payload = { file: File; options?: FileOptions } | { json: { url: string } | { title: string; text: string; format: "markdown" | "plain" } };

export interface Upload {
  key: string;
  notebookId: string;
  name: string;
  size: number | null;
  sent: number;
  state: "waiting" | "sending" | "checking" | "refused" | "broken" | "same";
  error: Problem | null;
  /** What was sent before it with the same content: both are one source. */
  sameAs?: string;
  payload: Payload;
}

type Arrived = (notebookId: string, sources: Source[], wasKnown: boolean) => void;

const AT_ONCE = 3; // a browser opens six connections to an origin; asking and the feed need the others
let uploads: Upload[] = [];
const running = new Map<string, Sending>();
const listeners = new Set<() => void>();
let arrived: Arrived = () => undefined;

/** Who puts accepted sources into the lists; set once by the workspace. */
export function onArrived(tell: Arrived): void {
  arrived = tell;
}

export function addUploads(notebookId: string, items: { name: string; size: number | null; payload: Payload }[]): void {
  const fresh = items.map((item): Upload => ({ ...item, key: uuid(), notebookId, sent: 0, state: "waiting", error: null }));
  // Newest first, as the list shows them: the first one chosen stands last, and `pump` sends it first.
  set([...fresh.reverse(), ...uploads]);
  pump();
}

export function addFiles(notebookId: string, files: Iterable<File>, options: FileOptions = {}): void {
  addUploads(notebookId, [...files].map((file) => ({ name: file.name, size: file.size, payload: { file, options } })));
}

export function forgetUpload(key: string): void {
  running.get(key)?.abort();
  running.delete(key);
  set(uploads.filter((upload) => upload.key !== key));
  pump();
}

export function sendAgain(key: string): void {
  change(key, { state: "waiting", error: null, sent: 0 });
  pump();
}

export function useUploads(notebookId: string): Upload[] {
  const every = useSyncExternalStore(subscribe, () => uploads);
  return every.filter((upload) => upload.notebookId === notebookId);
}

function pump(): void {
  for (const upload of [...uploads].reverse()) {
    if (running.size >= AT_ONCE) return;
    if (upload.state === "waiting" && !running.has(upload.key)) start(upload);
  }
}

function start(upload: Upload): void {
  const path = `/notebooks/${upload.notebookId}/sources`;
  const progress = (sent: number, isSent: boolean): void => change(upload.key, { sent, state: isSent ? "checking" : "sending" });
  const sending = "file" in upload.payload ? sendFile(path, upload.payload.file, upload.payload.options ?? {}, upload.key, progress) : sendJson(path, upload.payload.json, upload.key);
  running.set(upload.key, sending);
  change(upload.key, { state: "sending" });
  sending.done.then(
    (outcome) => finish(upload, outcome.items, outcome.status === 200),
    (problem: Problem & { isBroken: boolean }) => {
      running.delete(upload.key);
      change(upload.key, { state: problem.isBroken ? "broken" : "refused", error: problem });
      pump();
    },
  );
}

function finish(upload: Upload, items: Added[], wasKnown: boolean): void {
  running.delete(upload.key);
  const sources = items.flatMap((item) => (item.source ? [item.source] : []));
  if (sources.length > 0) arrived(upload.notebookId, sources, wasKnown);
  set(uploads.flatMap((other) => (other.key === upload.key ? rowsLeft(upload, items) : [other])));
  pump();
}

/** A row for each thing that was refused, or that is the same as another: an archive may hold several. */
function rowsLeft(upload: Upload, items: Added[]): Upload[] {
  return items.flatMap(({ error, name, same_as: sameAs }, at): Upload[] => {
    const row = { ...upload, key: at === 0 ? upload.key : uuid(), name: name ?? upload.name };
    if (error) return [{ ...row, state: "refused" as const, error }];
    return sameAs ? [{ ...row, state: "same" as const, sameAs }] : [];
  });
}

function change(key: string, fields: Partial<Upload>): void {
  set(uploads.map((upload) => (upload.key === key ? { ...upload, ...fields } : upload)));
}

function set(next: Upload[]): void {
  uploads = next;
  for (const tell of listeners) tell();
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}
