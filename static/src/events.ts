/** What a run says while it goes on. Mirrors evaluator/events.py; every payload comes from outside and is treated as text. */

export interface NodeInfo {
  shape: number[] | null;
  dtype: string | null;
}

export interface RunStarted {
  device: string;
  profile: string;
  versions: Record<string, string>;
  graphs: string[];
  limits: Record<string, number>;
  isolation?: string;
}

export type Severity = "violation" | "suspicious" | "note";

export interface Finding {
  class: string;
  severity: Severity;
  file: string | null;
  line: number | null;
  evidence: string;
  check?: string;
}

export interface StaticCheck {
  findings: number;
  verdict: string;
}

export interface Loaded {
  passes: string[];
  seconds: number;
}

export interface GraphStarted {
  graph: string;
  index: number;
  total: number;
}

export interface ArgumentDiff {
  argument: string;
  expected: string;
  found: string;
}

export interface Leak {
  node: string;
  pattern_node: string;
  users: string[];
}

export interface NearMiss {
  pass_name: string;
  kind: string;
  message: string;
  suggestion: string | null;
  pattern_node: string | null;
  pattern_code: string | null;
  graph_node: string | null;
  graph_code: string | null;
  differences: ArgumentDiff[];
  leaks: Leak[];
  matched: [string, string][];
  pattern_size: number;
  /** What would take this difference away, in the pass's own file. */
  fixes?: Fix[];
}

export interface Fix {
  kind: string;
  title: string;
  edits: Edit[];
}

/** Lines from 1, columns in UTF-16 units from 0. */
export interface Edit {
  line: number;
  column: number;
  end_line: number;
  end_column: number;
  text: string;
}

export interface Matched {
  graph: string;
  matches: number;
  per_pass: Record<string, number>;
  nodes: string[][];
  /** For each match: node → line (from 1) of the pass's file that lies on it. Absent from runs before it was recorded. */
  lines?: Record<string, number>[];
  near_misses: NearMiss[];
  notes?: string[];
}

export interface Rewritten {
  graph: string;
  code: string;
  nodes: Record<string, NodeInfo>;
  new_nodes: string[];
}

export interface Compiled {
  graph: string;
  seconds: number;
}

export interface WorstElement {
  index: number[];
  expected: number | string;
  found: number | string;
}

export interface OutputReport {
  index: number;
  dtype: string;
  expected_dtype: string;
  shape: number[];
  expected_shape: number[];
  mismatch: string | null;
  first_t: number | null;
  max_abs: number | null;
  max_rel: number | null;
  expected_range: number[] | null;
  worst: WorstElement[];
  differing: number;
  elements: number;
}

/** Errors of eager and of the candidate against float64, for one output. */
export interface TruthReport {
  eager_max: number;
  eager_rms: number;
  candidate_max: number;
  candidate_rms: number;
  nearer: string;
}

/** The largest error per cell of an output's two largest dimensions. */
export interface ErrorMap {
  dims: number[];
  sizes: number[];
  cells: (number | null)[][];
}

/** Eager against eager. */
export interface Noise {
  deterministic: boolean;
  random: boolean;
  first_t: number | null;
}

export interface Correctness {
  graph: string;
  input_set: string;
  outputs: OutputReport[];
  /** Only for the first input set on which an output is not correct. */
  truth?: (TruthReport | null)[];
  truth_note?: string;
  error_maps?: (ErrorMap | null)[];
  noise?: Noise;
}

export interface KernelCount {
  name: string;
  count: number;
}

export interface Kernels {
  graph: string;
  who: string;
  total: number;
  list: KernelCount[];
}

/** One kernel of a call on a GPU. */
export interface DeviceKernel extends KernelCount {
  /** "kernel" | "memcpy" | "memset" */
  kind: string;
  /** Median µs of one launch. */
  duration: number;
  grid: number[] | null;
  block: number[] | null;
  registers: number | null;
  /** Bytes. */
  shared_memory: number | null;
  /** Nodes that launched it. */
  nodes: string[];
}

export interface KernelDiff {
  removed: string[];
  kept: string[];
  new: string[];
}

/** `kernels` as it is told once more on a GPU, from a profile. */
export interface DeviceKernels {
  graph: string;
  who: string;
  /** Launches of kernels; copies and memsets are only in the list. */
  total: number;
  list: DeviceKernel[];
  /** µs of all of them. */
  device_time: number;
  diff: KernelDiff | null;
}

/** eager / participant of medians, above 1 is faster, with its 95 % interval. */
export interface SpeedRatio {
  value: number;
  low: number;
  high: number;
  rounds: number;
  /** "faster" | "slower" | "same" | "inconclusive" */
  word: string;
}

/** One method of timing, for all participants. Times are µs. */
export interface Timed {
  graph: string;
  /** "direct" | "compiled" | "published" */
  entry: string;
  /** "e2e" | "gpu" | "graph" | "kernel" */
  method: string;
  profile: string;
  samples: Record<string, number[]>;
  medians: Record<string, number>;
  ratios: Record<string, SpeedRatio>;
  conclusive: boolean;
  missing: Record<string, string>;
}

/** Outputs of timed calls that the judge has compared with its own. */
export interface Verified {
  graph: string;
  calls: number;
  wrong: number;
}

/** What the graph must do at the least on this device. Times are µs. */
export interface Roofline {
  graph: string;
  bytes_read: number;
  bytes_written: number;
  matmul_operations: number;
  other_operations: number;
  floor: number;
  memory_floor: number;
  arithmetic_floor: number;
  kernel_minimum: number;
  /** floor / median by `graph`, for each participant. */
  fraction: Record<string, number>;
  /** What dominates eager: "launch" | "memory" | "arithmetic". Both are absent where the launch cost was not calibrated. */
  bound?: string;
  cost?: Record<string, number>;
  /** eager / perfect fused kernel, by method. */
  perfect_gain: Record<string, number>;
  peak_memory: Record<string, number | null>;
  compile_seconds: Record<string, number>;
}

/** A device's clocks in MHz, temperature in °C, power in W; null where it did not say. */
export interface DeviceReading {
  sm_clock: number | null;
  memory_clock: number | null;
  temperature: number | null;
  power: number | null;
  throttled: string[];
}

/** The device while a graph was measured. */
export interface DeviceReport {
  graph: string;
  name: string | null;
  flags: Record<string, boolean | string>;
  before: DeviceReading | null;
  after: DeviceReading | null;
}

export interface Log {
  stream: string;
  text: string;
  truncated?: boolean;
}

export interface GraphResult {
  matches: number;
  status: string;
  reason: string | null;
  mismatch: string | null;
  first_t: number | null;
  launches: Record<string, number | null> | null;
  speedup: Record<string, number> | null;
  message: string | null;
}

export interface GraphDone extends GraphResult {
  graph: string;
  seconds: number;
}

export interface RunDone {
  verdict: string;
  graphs: Record<string, GraphResult>;
  findings: Finding[];
  es_t: Record<string, number> | null;
  aggregate_score: number | null;
  /** Whose speed the score follows. */
  profile?: string;
  device: string;
  versions: Record<string, string>;
  isolation?: Isolation;
  seconds: number;
}

/** What separated the submission from the machine: its parts, in words, that were on and that were not. */
export interface Isolation {
  level: string;
  on: string[];
  off: string[];
}

/** Written by the web side when a run changes its state. */
export interface StateChange {
  state: string;
  message?: string | null;
}

/** A script that shows what is wrong, on inputs as small as still fail. */
export interface Reproduction {
  graph: string;
  script: string;
  shapes: number[][];
}

/** How far a right pass is right beyond the scored inputs; apart from the score. */
export interface Generalisation {
  graph: string;
  checks: { name: string; outcome: string; detail: string }[];
}

interface Payloads {
  run_started: RunStarted;
  static_check: StaticCheck;
  loaded: Loaded;
  graph_started: GraphStarted;
  matched: Matched;
  rewritten: Rewritten;
  compiled: Compiled;
  correctness: Correctness;
  kernels: Kernels | DeviceKernels;
  timed: Timed;
  verified: Verified;
  roofline: Roofline;
  device: DeviceReport;
  reproduction: Reproduction;
  generalisation: Generalisation;
  finding: Finding;
  log: Log;
  graph_done: GraphDone;
  run_done: RunDone;
  state: StateChange;
}

export type EventKind = keyof Payloads;

/** One row of the run log. Kinds this page does not know (yet) are kept in sequence and otherwise ignored. */
export type RunEvent = {
  [Kind in EventKind]: { seq: number; kind: Kind; payload: Payloads[Kind]; at: string };
}[EventKind];
