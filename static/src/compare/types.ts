/** A comparison as the API gives it (submissions/api/comparing.py). */

import type { Finding } from "../events";

export interface Trajectory {
  step: number;
  steps: number;
  tokens: number;
  cost: string;
  exit_reason: string;
}

export interface Entry {
  key: string;
  author: string;
  kind: string;
  version: string;
  run: string | null;
  revision_number: number | null;
  state: string | null;
  created_at: string | null;
  /** Device, versions and profile in words; null where nothing was measured. */
  context: string | null;
  hardware: string;
  timed: boolean;
  /** Why its speed is not compared with the first entry's. */
  why_not: string;
  verdict: string | null;
  reviewed_verdict: string | null;
  correct: number | null;
  total: number | null;
  aggregate_score: number | null;
  es_t: Record<string, number> | null;
  findings: Finding[];
  submission: number | null;
  reported: number | null;
  problem: string;
  trajectory: Trajectory | null;
  files: Record<string, string>;
}

export interface Comparison {
  task: { slug: string; title: string } | null;
  name: string;
  entries: Entry[];
}

export interface Difference {
  key: string;
  graph: string;
  /** How many times as fast as the first entry. */
  ratio: { value: number; low: number; high: number } | null;
  word: string;
  basis: "rounds" | "intervals" | null;
  rounds: [number, number];
  why: string;
}

/** What a side is called: a letter, since names may be long or the same. */
export const letter = (place: number): string => "ABCDEF"[place] ?? "?";
