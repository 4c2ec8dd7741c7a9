/** Shapes of the gateway's answers, by contract; replaced by the generated ones where those say the same. */

export type SourceStatus = "queued" | "needs_approval" | "reading" | "indexing" | "ready" | "failed" | "stopped" | "paused";
export type SourceKind = "pdf" | "markdown" | "text" | "url";
export type Verdict = "found" | "partly" | "number_differs" | "not_found" | "not_checked";

export interface Page<T> {
  items: T[];
  next_cursor?: string | null;
}
export interface Problem {
  code: string;
  message: string;
}
export interface Preferences {
  pdf_capture?: "text" | "vision" | "auto" | null;
  ui_language?: string | null;
  answer_language?: string | null;
  theme?: Theme | null;
}
export type Theme = "light" | "dark" | "system";
export interface Me {
  id: string;
  name: string;
  email: string | null;
  role: "owner" | "admin" | "member";
  preferences: Preferences;
  credit: string | null;
  csrf: string;
  version: string;
}
export interface Notebook {
  id: string;
  title: string;
  profile: string;
  role: "owner" | "editor" | "viewer" | "chat_only";
  created_at: string;
  updated_at: string;
  last_asked_at: string | null;
  source_counts: { total: number; ready: number; working: number; failed: number };
  recipe: { chunker: string; size: number; overlap: number };
  local_only: boolean;
  is_sample: boolean;
}
export interface TrashItem {
  kind: "notebook" | "source" | "conversation";
  id: string;
  title: string;
  deleted_at: string;
  purge_at: string;
}
export interface Progress {
  step: "waiting" | "reading" | "indexing";
  done: number;
  total: number | null;
  before: number | null;
}
export interface NotRead {
  page: number;
  code: string;
  why: string;
}
export interface Report {
  pages: number | null;
  by_text: number;
  by_vision: number;
  empty: number[];
  not_read: NotRead[];
  words: number;
  characters: number;
  warnings: Problem[];
  calls: number;
  cost: string | number | null;
  seconds: number;
}
export interface Source {
  id: string;
  title: string;
  kind: SourceKind;
  status: SourceStatus;
  searchable: "none" | "words" | "full";
  progress: Progress | null;
  error: Problem | null;
  warnings: number;
  stale: boolean;
  report: Report | null;
  summary: string | null;
  language: string | null;
  pages: number | null;
  chunks: number;
  words: number | null;
  byte_size: number;
  file_name: string | null;
  url: string | null;
  authors: string[];
  year: number | null;
  doi: string | null;
  labels: string[];
  external_id: string | null;
  meta: Record<string, unknown>;
  capture: string | null;
  reading_id: string | null;
  added_by: string | null;
  created_at: string;
  updated_at: string;
  ready_at: string | null;
  cost: string | number | null;
  /** In a notebook's list only. */
  grant?: "given" | "paused";
  /** In the library only: how many notebooks hold it. */
  notebooks?: number;
}
export type Added = { source: Source; error?: undefined } | { error: Problem; name: string; source?: undefined };

export interface Passage {
  passage: number;
  offset: number;
  text: string;
  page?: number | null;
  heading?: string | null;
}
export interface PageWords {
  page: number;
  width: number;
  height: number;
  passage: number;
  items: { text: string; start: number; end: number; x0: number; y0: number; x1: number; y1: number }[];
}
export interface PageBoxes {
  page: number;
  passage: number;
  highlight: boolean;
  items: { x0: number; y0: number; x1: number; y1: number }[];
}
export interface OutlineItem {
  title: string;
  level: number;
  page?: number | null;
  passage: number;
  start: number;
}
export interface Conversation {
  id: string;
  title: string;
  created_at: string;
  updated_at: string;
  turns: number;
}
export interface Evidence {
  spans: [number, number][];
  missing: string[];
  numbers: { matched: string[]; missing: string[] };
  caution: string | null;
  quoted_words_found: boolean | null;
  entailed: boolean | null;
}
export interface Use {
  statement: number;
  quote: string | null;
  start: number | null;
  end: number | null;
  context: { before: string; after: string } | null;
  verdict: Verdict | null;
  evidence: Evidence | null;
}
export interface Citation {
  n: number;
  source_id: string;
  reading_id: string;
  source_title: string;
  kind: SourceKind;
  chunk_id: string;
  passage: number;
  page?: number | null;
  heading?: string | null;
  similarity: number | null;
  removed: boolean;
  carried?: boolean;
  quote: string | null;
  start: number | null;
  end: number | null;
  verdict: Verdict | null;
  uses: Use[];
}
export interface Statement {
  start: number;
  end: number;
  cited: number[];
  status: Verdict | "uncited";
}
export interface Checks {
  citations_valid: boolean;
  numbers_grounded: boolean;
  ungrounded_numbers: string[];
  statements: Statement[];
  found: number;
  total: number;
}
export interface Turn {
  id: string;
  conversation_id: string;
  notebook_id: string;
  question: string;
  status: "queued" | "running" | "done" | "stopped" | "failed";
  finish: "complete" | "stopped" | "broken" | null;
  answer: string | null;
  citations: Citation[];
  sources: { n: number; source_id: string; source_title: string }[];
  checks: Checks | null;
  coverage: Record<string, unknown> | null;
  reply_kind: string | null;
  pending_sources: unknown[] | number | null;
  degraded: string[];
  usage: Record<string, unknown> | null;
  timing: { ttft_ms: number | null; total_ms: number | null } | null;
  closest: Citation[] | null;
  route: Record<string, unknown> | null;
  error: Problem | null;
  in_history: boolean;
  created_at: string;
  feedback: { value: number; note?: string | null } | number | null;
}
export interface WhyCandidate {
  chunk_id: string;
  source_id: string;
  source_title: string;
  page: number | null;
  heading: string | null;
  text: string;
  words_rank: number | null;
  meaning_rank: number | null;
  similarity: number | null;
  fused_rank: number | null;
  kept: boolean;
  why: string;
}
export interface Why {
  question: string;
  candidates: WhyCandidate[];
  degraded: string[];
  prompt: string | null;
}
export interface ModelTest {
  at?: string;
  ok: boolean;
  seconds: number | null;
  words_per_s: number | null;
  cites_right: number | null;
  cites_of: number | null;
  error: Problem | null;
  dimension?: number | null;
}
export interface ModelRole {
  role: string;
  provider: "none" | "local" | "api";
  base_url: string | null;
  model: string | null;
  has_key: boolean;
  locked: boolean;
  locked_by: string | null;
  tested: ModelTest | null;
  options: Record<string, unknown>;
}
export interface FoundServer {
  name: string;
  base_url: string;
  models: string[];
}
export interface Models {
  items: ModelRole[];
  found: FoundServer[];
}
export interface HealthLine {
  name: string;
  state: "good" | "slow" | "away" | "off";
  since: string | null;
  what: string | null;
  next: string | null;
}
export interface FailedJob {
  job_id: string;
  kind: string;
  source_id: string | null;
  file: string | null;
  stage: string | null;
  attempts: number;
  error: Problem | string | null;
}
export interface Health {
  items: HealthLine[];
  queues: { queue: string; waiting: number; oldest_s: number | null; running: number }[];
  failed: FailedJob[];
  workers: unknown[];
  disk: { free_bytes: number; total_bytes: number } | null;
  version: string;
  last_backup_at: string | null;
}
