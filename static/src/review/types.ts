/** What /api/review/… answers. Every text in it comes from authors or reviewers and is shown as text. */

import type { ErrorMap, Finding, NearMiss, OutputReport } from "../events";

export interface Row {
  id: number;
  author: string;
  /** Slug; null: the task's graphs are not here. */
  task: string | null;
  task_name: string;
  device: string;
  group: string;
  kind: string;
  cause: string;
  kind_name: string;
  text: string;
  signature: string;
  failed: number;
  total: number;
  at: string;
  decision: string;
  assignee: string | null;
  labels: string[];
}

export interface Cluster {
  signature: string;
  group: string;
  kind: string;
  cause: string;
  kind_name: string;
  text: string;
  count: number;
  authors: number;
  open: number;
  newest: string;
  /** The number of its first item. */
  first: number;
}

export interface FacetValue {
  value: string;
  count: number;
}

export interface Counts {
  total: number;
  states: Record<string, number>;
  facets: Record<string, FacetValue[]>;
  groups: { key: string; name: string; means: string; kinds: Record<string, string> }[];
  devices: string[];
  may_review: boolean;
  me: string;
  undo: { what: string; items: number } | null;
}

export interface Comment {
  id: number;
  author: string;
  text: string;
  at: string;
  withdrawn: boolean;
  mine: boolean;
}

export type Wrong = OutputReport & { input_set: number | null; map: ErrorMap | null };

export interface Item extends Row {
  run: { id: string; verdict: string; reviewed: string } | null;
  submission: number | null;
  graph: string;
  graphs: { name: string; status: string; reason: string | null; mismatch: string | null; first_t: number | null; message: string | null }[];
  findings: Finding[];
  problem: string;
  evidence: { near_misses: NearMiss[]; outputs: Wrong[]; log: string };
  files: Record<string, string>;
  reason: string;
  decided_by: string | null;
  decided_at: string | null;
  duplicate_of: number | null;
  note: string;
  comments: Comment[];
  steps: { who: string; what: string; at: string; undone: boolean }[];
  reviews: { reviewer: string; before: string; verdict: string; reason: string }[];
  cases: { name: string; differences: string[] | null }[];
  rerun: { id: string; state: string; correct: number | null; total: number | null; verdict: string } | null;
  cluster: { count: number; authors: number };
  draft: Partial<Record<DraftField, string>>;
  may_decide: boolean;
  may_review: boolean;
  previous: number | null;
  next: number | null;
}

export type DraftField = "reason" | "note" | "comment";
