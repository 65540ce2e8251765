/** What the page knows about one run: plain, serialisable, built from the run log alone. */

import type { Correctness, DeviceKernels, DeviceReport, Finding, Generalisation, Isolation, KernelCount, NearMiss, OutputReport, Reproduction, Roofline, Timed, Verified } from "../events";

export const STAGES = ["queued", "check", "load", "graphs"] as const;
export type StageName = (typeof STAGES)[number];

/** Milliseconds since the epoch, by the server's clock; null while it has not happened. */
export interface Stage {
  start: number | null;
  end: number | null;
}

export type Phase = "waiting" | "started" | "matched" | "rewritten" | "compiled" | "compared" | "timed" | "done";

export type Diagnosis = Pick<Correctness, "truth" | "truth_note" | "error_maps" | "noise"> & { inputSet: string };

export interface GraphView {
  name: string;
  phase: Phase;
  startedAt: number | null;
  /** When the present phase began, or last went on. */
  phaseAt: number | null;
  seconds: number | null;
  matches: number | null;
  perPass: Record<string, number>;
  matchedNodes: string[][];
  /** For each match: node → line (from 1) of the pass's file. */
  lines: Record<string, number>[];
  nearMisses: NearMiss[];
  rewritten: boolean;
  newNodes: string[];
  compileSeconds: number | null;
  checks: { inputSet: string; outputs: OutputReport[] }[];
  /** What the evaluator found out about the first input set that was not correct. */
  diagnosis: Diagnosis | null;
  notes: string[];
  /** Largest absolute error; null too when some element's has no size. */
  maxAbs: number | null;
  launches: Record<string, number | null> | null;
  kernels: Record<string, KernelCount[]>;
  /** Kernels as a profiler on the GPU saw them, by participant. */
  profiles: Record<string, DeviceKernels>;
  timings: Timed[];
  verified: Verified | null;
  roofline: Roofline | null;
  /** The device while this graph was measured. */
  device: DeviceReport | null;
  reproduction: Reproduction | null;
  generalisation: Generalisation | null;
  speedup: Record<string, number> | null;
  status: string | null;
  reason: string | null;
  mismatch: string | null;
  firstT: number | null;
  message: string | null;
}

export interface LogLine {
  stream: string;
  text: string;
}

export interface RunView {
  seq: number;
  state: string | null;
  message: string | null;
  device: string | null;
  versions: Record<string, string>;
  stages: Record<StageName, Stage>;
  passes: string[] | null;
  staticVerdict: string | null;
  graphs: GraphView[];
  findings: Finding[];
  integrity: string | null;
  /** What separated the submission from the machine, in the evaluator's words. */
  isolation: string | null;
  /** Parts of it that were on and off, once the run has ended. */
  isolationParts: Isolation | null;
  /** "precise" | "published" */
  profile: string | null;
  /** Seconds and bytes that a run may take, by name. */
  limits: Record<string, number>;
  /** ES_t by t; null where speed was not measured. */
  esT: Record<string, number> | null;
  aggregateScore: number | null;
  seconds: number | null;
  log: LogLine[];
  /** True when the last log line has not ended yet. */
  logOpen: boolean;
  /** Lines that were dropped from the head of the log to stay within LOG_LINES. */
  logDropped: number;
  logTruncated: boolean;
}

export const LOG_LINES = 10_000;
export const LOG_LINE_LENGTH = 2000;

export function emptyGraph(name: string): GraphView {
  return {
    name, phase: "waiting", startedAt: null, phaseAt: null, seconds: null, matches: null, perPass: {}, matchedNodes: [], lines: [], nearMisses: [],
    rewritten: false, newNodes: [], compileSeconds: null, checks: [], diagnosis: null, notes: [], maxAbs: null, launches: null, kernels: {}, speedup: null,
    profiles: {}, timings: [], verified: null, roofline: null, device: null, reproduction: null, generalisation: null,
    status: null, reason: null, mismatch: null, firstT: null, message: null,
  };
}

/** A run of which nothing is known yet; one waiting row for each graph of the task, in the task's order. */
export function emptyRun(graphs: readonly string[]): RunView {
  const stage = (): Stage => ({ start: null, end: null });
  return {
    seq: 0, state: null, message: null, device: null, versions: {},
    stages: { queued: stage(), check: stage(), load: stage(), graphs: stage() },
    passes: null, staticVerdict: null, graphs: graphs.map(emptyGraph), findings: [], integrity: null, isolation: null, isolationParts: null, profile: null, limits: {}, esT: null, aggregateScore: null, seconds: null,
    log: [], logOpen: false, logDropped: 0, logTruncated: false,
  };
}
