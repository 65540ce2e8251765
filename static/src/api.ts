/** The JSON API, typed. Every failure is an ApiError whose message can be shown as it is. */

import type { BaselineRow, BaselinesOf } from "./baseline/types";
import type { Finding, RunEvent } from "./events";
import type { Drafted } from "./draft/files";
import type { SlowerPage } from "./slower/types";
import type { Uploaded } from "./upload/types";
import type { Badge, GraphJson } from "./graph/types";
import { answered, unanswered } from "./lib/reach";

export type Files = Record<string, string>;

export interface BestResult {
  device: string;
  correct: number;
  total: number;
  first_t: number | null;
  verdict: string;
  /** null: another author's. */
  run: string | null;
}

export interface TaskRow {
  slug: string;
  title: string;
  summary: string;
  operators: { label: string; class: string }[];
  dtypes: string[];
  /** What the graphs' own files say; a facet that they do not name is missing. */
  facets: { kind?: string[]; family?: string[]; domain?: string[]; benchmark?: string[] };
  graph_count: number;
  /** A worked example: where a beginner starts. */
  has_example: boolean;
  /** Operators in the smallest and the largest graph; null: it has none. */
  size: { least: number; most: number } | null;
  /** Identity of the first graph, whose drawing the thumbnail is. */
  graph: string | null;
  thumbnail: string;
  best: BestResult[];
  /** Graphs on which Inductor's CPU compile was measured against eager here; null: never. */
  inductor: { measured: number; faster: number; slower: number } | null;
  /** Runs that ship with the task, measured elsewhere. */
  examples: ExampleInShort[];
}

/** A state of the catalogue that its author has given a name. */
export interface SavedSearch {
  id: number;
  name: string;
  /** The part of the catalogue's address from the question mark on. */
  address: string;
}

export interface ExampleInShort {
  run: string;
  device: string;
  /** In its file's own words. */
  hardware: string;
  correct: number;
  total: number;
  /** By method: geometric mean of eager / pass over the graphs that are correct. */
  speedup: Record<string, number>;
}

export interface GraphPage {
  identity: string;
  name: string;
  content_hash: string;
  /** "" when it is not known. */
  canonical_hash: string;
  node_count: number;
  operators: { label: string; class: string }[];
  dtypes: string[];
  inputs: Badge[];
  model: string | null;
  source: string | null;
  warnings: string[];
  stored_at: string;
  tasks: { slug: string; title: string; graph: string; origin: string; best: BestResult[]; examples: ExampleInShort[] }[];
  /** Graphs with the same code and other inputs, then those of the same form. */
  relatives: { identity: string; name: string; dtypes: string[]; inputs: Badge[]; same_code: boolean }[];
  baselines: BaselineRow[];
}

export interface TaskGraph {
  name: string;
  /** Its page is /graphs/{identity}/. */
  identity: string;
  title: string;
  dtypes: string[];
  node_count: number;
  inputs: { name: string; shape: number[] | null; dtype: string | null }[];
  /** What it was taken from, in the words of its own folder. */
  model: string | null;
  source: string | null;
}

export interface Task {
  slug: string;
  title: string;
  summary: string;
  description: string;
  graphs: TaskGraph[];
  has_example: boolean;
  origin: string;
  policy: { metadata_only?: boolean };
}

export interface SourceGraph extends GraphJson {
  name: string;
  source: string;
  content_hash?: string;
  warnings?: string[];
}

export interface RewrittenGraph extends GraphJson {
  source: string;
  new_nodes: string[];
}

export interface Draft {
  files: Files;
  version: number;
  updated_at: string | null;
  hash: string;
}

export interface SavedDraft {
  version: number;
  hash: string;
}

/** Where a run was measured that was not measured here, in the words of its file. */
export interface Imported {
  /** "bundle": brought back by its author; "example": ships with the workbench. */
  kind: string;
  hardware: string;
  versions: Record<string, string>;
  /** Hash of the harness there; "" where the file does not say. */
  harness: string;
  same_harness: boolean | null;
  note: string;
  imported_at: string;
}

/** Numbers of a finished run, for the history's chart. */
export interface HistoryPoint {
  run: string;
  correct: number;
  total: number;
  aggregate_score: number | null;
  /** By method: geometric mean over the graphs that are correct. */
  speedup: Record<string, number>;
  launches: Record<string, number> | null;
}

export interface RunSummary {
  run: string;
  revision: string;
  revision_number: number;
  state: string;
  device: string;
  created_at: string;
  finished_at: string | null;
  correct: number | null;
  total: number | null;
  /** Why no graph was evaluated, "bad_submission" or "violation". */
  rejected?: string | null;
  /** The judge's; it never changes. */
  verdict: string | null;
  /** A reviewer's, which stands instead. */
  reviewed_verdict: string | null;
  imported?: Imported | null;
}

export interface Review {
  reviewer: string;
  /** The verdict that stood until then. */
  before: string;
  verdict: string;
  reason: string;
  created_at: string;
}

export interface RunInfo {
  run: string;
  task: string;
  state: string;
  device: string;
  revision: string;
  revision_number: number;
  files_hash: string;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  seq: number;
  queue_position: number | null;
  jobs_ahead: number | null;
  /** By the device's last runs; null: not known, or not waiting. */
  expected_wait_seconds: number | null;
  message: string | null;
  verdict: string | null;
  reviewed_verdict: string | null;
  imported?: Imported | null;
  /** The newest last. */
  reviews: Review[];
  may_review: boolean;
  /** Its item in the review queue, if it failed and whoever looks may see it there. */
  review_item?: number | null;
  author: string;
  /** Whoever looks is its author. */
  own: boolean;
  /** The score that counts after a review; null where the judge's word stands. */
  counts: Counts | null;
  /** The run whose violation was overturned: this one scores its files all the same. */
  overturns: string | null;
}

export interface Counts {
  /** Whose numbers these are: its own, or those of the run that scored the files again. */
  run: string;
  state: string;
  correct: number | null;
  total: number | null;
  first_t: number | null;
  aggregate_score: number | null;
}

export interface EventPage {
  events: RunEvent[];
  last: number;
  state: string;
}

export interface Device {
  device: string;
  label: string;
  status: "ready" | "warming" | "busy" | "offline";
  message: string | null;
  queued: number;
  /** What separates a submission from the machine; "" until the evaluator has said. */
  isolation: string;
  isolated: boolean | null;
}

export class ApiError extends Error {
  constructor(
    message: string,
    /** HTTP status; 0 when the server could not be reached. */
    readonly status: number,
    readonly code: string,
    readonly body: Record<string, unknown> = {},
  ) {
    super(message);
  }

  get offline(): boolean {
    return this.status === 0;
  }
}

function csrfToken(): string | null {
  return /(?:^|;\s*)csrftoken=([^;]+)/.exec(document.cookie)?.[1] ?? null;
}

export async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const reply = await ask(method, path, body, signal);
  return read<T>(reply, `${method} ${path}`);
}

/** The JSON of an answer. Raises ApiError for one that refuses. */
export async function read<T>(reply: Response, asked: string): Promise<T> {
  const text = await reply.text();
  let value: unknown = null;
  try {
    value = text === "" ? null : JSON.parse(text);
  } catch {
    value = null;
  }
  if (reply.ok) return value as T;
  const fields = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  const message = typeof fields["error"] === "string" ? fields["error"] : `The server answered ${reply.status} to ${asked}.`;
  throw new ApiError(message, reply.status, typeof fields["code"] === "string" ? fields["code"] : "http", fields);
}

export async function ask(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json" };
  const token = csrfToken();
  if (token !== null && method !== "GET") headers["X-CSRFToken"] = token;
  const sent = body instanceof Blob ? body : body === undefined ? null : JSON.stringify(body);
  if (sent !== null) headers["Content-Type"] = body instanceof Blob ? body.type : "application/json";
  try {
    const reply = await fetch(path, {
      method,
      headers,
      credentials: "same-origin",
      ...(sent === null ? {} : { body: sent }),
      ...(signal ? { signal } : {}),
    });
    answered();
    return reply;
  } catch (problem) {
    if (signal?.aborted) throw problem;
    unanswered();
    throw new ApiError("The server cannot be reached. It may be restarting; this page tries again by itself.", 0, "offline");
  }
}

/** A job as a zip file, with the name that the server gives it. */
async function bundle(slug: string, files: Files, profile: string): Promise<{ name: string; content: Blob }> {
  const path = `${task(slug)}/bundle`;
  const reply = await ask("POST", path, { files, profile });
  if (!reply.ok) return read(reply, `POST ${path}`);
  const name = /filename="([^"/\\]+)"/.exec(reply.headers.get("Content-Disposition") ?? "")?.[1] ?? "bundle.zip";
  return { name, content: await reply.blob() };
}

const part = encodeURIComponent;
const task = (slug: string): string => `/api/tasks/${part(slug)}`;
const run = (id: string): string => `/api/runs/${part(id)}`;

export const api = {
  /** At most as many as a page may hold; `words` must all occur in a task. */
  tasks: (words = "", signal?: AbortSignal, offset = 0, limit = 200) => call<{ tasks: TaskRow[]; total: number }>("GET", `/api/tasks?q=${part(words)}&offset=${offset}&limit=${limit}`, undefined, signal),
  graphPage: (key: string) => call<GraphPage>("GET", `/api/graphs/${part(key)}`),
  graphDrawing: (key: string) => call<SourceGraph>("GET", `/api/graphs/${part(key)}/drawing`),
  task: (slug: string) => call<Task>("GET", task(slug)),
  graph: (slug: string, name: string) => call<SourceGraph>("GET", `${task(slug)}/graphs/${part(name)}`),
  draftPass: (slug: string, graph: string, nodes: readonly string[]) => call<Drafted>("POST", `${task(slug)}/graphs/${part(graph)}/draft`, { nodes }),
  example: (slug: string) => call<{ files: Files }>("GET", `${task(slug)}/example`),
  draft: (slug: string) => call<Draft>("GET", `${task(slug)}/draft`),
  saveDraft: (slug: string, files: Files, version: number) => call<SavedDraft>("PUT", `${task(slug)}/draft`, { files, version }),
  check: (slug: string, files: Files, signal: AbortSignal) => call<{ findings: Finding[]; problem: string }>("POST", `${task(slug)}/check`, { files }, signal),
  startRun: (slug: string, files: Files, device: string) =>
    call<{ run: string; revision: string; revision_number: number }>("POST", `${task(slug)}/runs`, { files, device }),
  runs: (slug: string) => call<{ runs: RunSummary[]; examples: RunSummary[] }>("GET", `${task(slug)}/runs`),
  history: (slug: string) => call<{ points: HistoryPoint[] }>("GET", `${task(slug)}/history`),
  bundle,
  importResults: (results: string) => call<{ run: string; task: string; fresh: boolean }>("POST", "/api/imports", { results }),
  run: (id: string) => call<RunInfo>("GET", run(id)),
  events: (id: string, after: number, signal?: AbortSignal) =>
    call<EventPage>("GET", `${run(id)}/events?after=${after}&limit=500`, undefined, signal),
  cancel: (id: string) => call<unknown>("POST", `${run(id)}/cancel`),
  review: (id: string, verdict: string, reason: string) =>
    call<{ verdict: string; reviewed_verdict: string; reviews: Review[] }>("POST", `${run(id)}/review`, { verdict, reason }),
  runFiles: (id: string) => call<{ files: Files }>("GET", `${run(id)}/files`),
  /** After all passes; with `step` between two of them. */
  rewritten: (id: string, graph: string, step: number | null = null) =>
    call<RewrittenGraph>("GET", `${run(id)}/graphs/${part(graph)}/rewritten${step === null ? "" : `?step=${step}`}`),
  baselines: (slug: string) => call<BaselinesOf>("GET", `${task(slug)}/baselines`),
  measureBaselines: (slug: string) => call<{ run: string }>("POST", `${task(slug)}/baselines`, {}),
  /** `query` from the question mark on. */
  slower: (query: string, signal?: AbortSignal) => call<SlowerPage>("GET", `/api/slower${query}`, undefined, signal),
  uploads: () => call<{ uploads: Uploaded[] }>("GET", "/api/uploads"),
  uploadText: (id: string) => call<Uploaded & { text: string }>("GET", `/api/uploads/${part(id)}`),
  uploadArchive: (name: string, archive: Blob) => call<Uploaded>("POST", `/api/uploads/archive?name=${part(name)}`, archive),
  uploadModule: (title: string, text: string) => call<Uploaded>("POST", "/api/uploads/module", { title, text }),
  removeUploaded: (slug: string) => call<unknown>("DELETE", `/api/uploads/tasks/${part(slug)}`),
  searches: () => call<{ searches: SavedSearch[] }>("GET", "/api/searches"),
  saveSearch: (name: string, address: string) => call<{ searches: SavedSearch[] }>("PUT", "/api/searches", { name, address }),
  deleteSearch: (id: number) => call<{ searches: SavedSearch[] }>("DELETE", `/api/searches/${id}`),
  devices: () => call<{ devices: Device[] }>("GET", "/api/devices"),
};
