/** Shapes of the gateway's answers: generated ones, made whole (the gateway sends every field) and narrowed where it says less than the contract. */
import type { components } from "@/shared/api/openapi";

type Schemas = components["schemas"];

/** Every field is there, null or not: a field with a default is optional in the document, never in an answer. */
type Whole<T> = T extends readonly unknown[]
  ? { [K in keyof T]: Whole<T[K]> }
  : T extends object
    ? { [K in keyof T]-?: Whole<T[K]> }
    : T;
type With<T, Fields> = Omit<T, keyof Fields> & Fields;

export type SourceStatus = Schemas["SourceRead"]["status"];
export type SourceKind = "pdf" | "markdown" | "text" | "url" | "image" | "audio" | "office" | "generated" | "note";
export type Verdict = Schemas["Use"]["verdict"];
export type Theme = NonNullable<Schemas["Preferences"]["theme"]>;
export type Preferences = Schemas["Preferences"];
export type Me = With<Whole<Schemas["Me"]>, { preferences: Preferences }>;
export type Notebook = Whole<Schemas["NotebookRead"]>;
export type TrashItem = Whole<Schemas["TrashRead"]>;
export type Progress = Whole<Schemas["Progress"]>;

export interface Page<T> {
  items: T[];
  next_cursor?: string | null;
}
export interface Problem {
  code: string;
  message: string;
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
  /** Passages of a recording that were heard. */
  by_speech?: number;
  empty: number[];
  not_read: NotRead[];
  /** Rows of a table, when they were counted. */
  rows?: number;
  words: number;
  characters: number;
  warnings: Problem[];
  calls: number;
  cost: string | number | null;
  currency?: string | null;
  seconds: number;
}
export type Estimate = Whole<Schemas["Estimate"]>;
export type EstimateTotal = Whole<Schemas["NotebookEstimate"]>;
export type Source = With<
  Whole<Schemas["SourceRead"]>,
  {
    kind: SourceKind;
    report: Report | null;
    /** In a notebook's list only. */
    grant?: "given" | "paused" | null;
    /** In the library only: how many notebooks hold it. */
    notebooks?: number | null;
  }
>;
/** A web site whose pages are sources of their own. */
export type Site = Whole<Schemas["SiteRead"]>;
/** What became of one thing that was sent: a source, or why not. */
export type Added = With<Whole<Schemas["AddedItem"]>, { source: Source | null }>;

export type Passage = With<Schemas["PassageRead"], { state?: string; description_at?: number | null }>;
export type PageWords = Schemas["PageWords"];
export type PageBoxes = Schemas["PageBoxes"];
export type OutlineItem = Schemas["OutlineItem"];
export type Conversation = With<Whole<Schemas["ConversationRead"]>, { notebook_id?: string | null; assistant_id?: string | null }>;
export type Statement = Whole<Schemas["Statement"]>;
export type Checks = Whole<Schemas["Checks"]>;

export interface Evidence {
  spans: [number, number][];
  missing: string[];
  numbers: { matched: string[]; missing: string[] };
  caution: string | null;
  quoted_words_found: boolean | null;
  entailed: boolean | null;
}
/** While an answer streams, a use has no verdict and no evidence yet. */
export type Use = With<Whole<Schemas["Use"]>, { verdict: Verdict | null; evidence: Evidence | null; context: { before: string; after: string } | null }>;
export type Citation = With<
  Schemas["Citation"],
  {
    kind: SourceKind;
    similarity: number | null;
    quote: string | null;
    start: number | null;
    end: number | null;
    verdict: Verdict | null;
    uses: Use[];
    carried?: boolean;
  }
>;

export type Turn = With<
  Whole<Schemas["TurnRead"]>,
  {
    citations: Citation[];
    closest: Citation[] | null;
    /** Those it cites, else, as a fallback, those that were found. */
    sources: { n: number; source_id: string; title: string; page?: number | null; heading?: string | null; excerpt?: string }[];
    timing: { ttft_ms: number | null; total_ms: number | null } | null;
    pending_sources: unknown[] | number | null;
    notebook_id: string;
    assistant_id?: string | null;
    drew_on?: number | null;
    asked_of?: number | null;
    /** How much evidence there was, as a word: none, low, medium, high. */
    coverage: string | null;
    /** Passages of the last answer that were used again. */
    carried?: number | null;
    /** No passage was named: the sources are those that were handed over. */
    fallback?: boolean | null;
    cards?: HelpCard[] | null;
    feedback: { value: number; note?: string | null } | number | null;
  }
>;
/** A section of a help that fits a question; the winner is the first. */
export interface HelpCard {
  rank: number;
  source_id: string;
  reading_id: string | null;
  title: string;
  heading: string | null;
  preview: string;
  /** Where it stands on the web, else null: then it opens here. */
  address: string | null;
  passage: number;
  start: number;
  end: number;
  is_winner: boolean;
}
export type WhyCandidate = Whole<Schemas["CandidateRead"]>;
/** Why a passage was handed over or left out; `why` says it in English. */
export type Reason = NonNullable<WhyCandidate["reason"]>;
export type Why = With<Whole<Schemas["Why"]>, { candidates: WhyCandidate[] }>;

/** A passage that a search found. Marks are half-open code point ranges inside the snippet's text. */
export type FoundItem = Whole<Schemas["FoundItem"]>;
export type FoundList = With<Whole<Schemas["Found"]>, { items: FoundItem[] }>;

export type MissReason = "nothing_found" | "not_covered" | "thumbs_down";
/** Questions of the same words that found no answer. */
export type Miss = With<Whole<Schemas["MissRead"]>, { reasons: Partial<Record<MissReason, number>> }>;
export type MissState = Miss["state"];
export type TestQuestion = Whole<Schemas["QuestionRead"]>;

/** What taking another meaning search costs. */
export type RebuildEstimate = Whole<Schemas["RebuildEstimate"]>;
/** How far a new meaning search is being built beside the one in use. */
export type Rebuild = With<Whole<Schemas["Rebuild"]>, { error: Problem | null }>;
export type Floor = Whole<Schemas["FloorRead"]>;
export type FloorList = Whole<Schemas["FloorList"]>;

export type ModelTest = With<Whole<Schemas["ModelTested"]>, { error: Problem | null }>;
export type ModelRole = With<Whole<Schemas["ModelRole"]>, { tested: ModelTest | null; rebuild: Rebuild | null }>;
export type FoundServer = Schemas["FoundServer"];
export type Models = With<Whole<Schemas["ModelList"]>, { items: ModelRole[] }>;
export type HealthLine = Whole<Schemas["HealthLine"]>;
export type FailedJob = With<Whole<Schemas["FailedRead"]>, { error: Problem | null }>;
export type Health = With<Whole<Schemas["HealthRead"]>, { failed: FailedJob[]; disk: { free_bytes: number; total_bytes: number } | null }>;

/** What a person kept: Markdown with live marks `[^n]`, and which ranges of it (code points) are the person's own words. */
export type Note = With<Whole<Schemas["NoteRead"]>, { citations: Citation[] }>;
/** What a notebook is about, in a few lines. */
export type Guide = Whole<Schemas["GuideRead"]>;
export type UsageCall = Whole<Schemas["CallRead"]>;
/** What calls to models cost in a month; an unknown cost is null, never 0. */
export type UsageMonth = Whole<Schemas["UsageRead"]>;
