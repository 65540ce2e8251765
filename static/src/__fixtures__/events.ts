/** Hand-made pieces of a run log for tests. */

import type { GraphDone, NearMiss, OutputReport, RunEvent } from "../events";

type Made = { [K in RunEvent["kind"]]: { kind: K; payload: Extract<RunEvent, { kind: K }>["payload"] } }[RunEvent["kind"]];

/** Numbers events from `first` on, one second apart from 12:00:00 UTC. */
export function numbered(events: readonly Made[], first = 1): RunEvent[] {
  const start = Date.UTC(2026, 10, 29, 12, 0, 0);
  return events.map((event, index) => ({ ...event, seq: first + index, at: new Date(start + (first - 1 + index) * 1000).toISOString() })) as RunEvent[];
}

export function output(over: Partial<OutputReport> = {}): OutputReport {
  return {
    index: 0, dtype: "float32", expected_dtype: "float32", shape: [3, 40], expected_shape: [3, 40], mismatch: null, first_t: -7,
    max_abs: 1e-8, max_rel: 1e-7, expected_range: [-1, 1], worst: [], differing: 3, elements: 120, ...over,
  };
}

export function done(graph: string, over: Partial<GraphDone> = {}): { kind: "graph_done"; payload: GraphDone } {
  const payload: GraphDone = {
    graph, seconds: 0.5, matches: 1, status: "correct", reason: null, mismatch: null, first_t: -7,
    launches: { eager: 5, candidate: 1 }, speedup: null, message: null, ...over,
  };
  return { kind: "graph_done", payload };
}

export function nearMiss(over: Partial<NearMiss> = {}): NearMiss {
  return {
    pass_name: "FusePool", kind: "argument", message: "sum has another dim.", suggestion: null, pattern_node: "sum_1",
    pattern_code: "sum_1 = in_1.sum(2)", graph_node: "tmp_2", graph_code: "tmp_2 = in_1.sum(1)",
    differences: [{ argument: "dim", expected: "2", found: "1" }], leaks: [], matched: [["mul", "tmp_0"]], pattern_size: 5, ...over,
  };
}

/** A whole run of two graphs: the first correct, the second without a match. */
export const WHOLE_RUN: RunEvent[] = numbered([
  { kind: "state", payload: { state: "queued" } },
  { kind: "state", payload: { state: "leased" } },
  { kind: "state", payload: { state: "running" } },
  { kind: "run_started", payload: { device: "cpu", profile: "precise", versions: { torch: "2.13.0" }, graphs: ["a", "b"], limits: {} } },
  { kind: "static_check", payload: { findings: 0, verdict: "clean" } },
  { kind: "loaded", payload: { passes: ["FusePool"], seconds: 0.1 } },
  { kind: "graph_started", payload: { graph: "a", index: 0, total: 2 } },
  { kind: "kernels", payload: { graph: "a", who: "eager", total: 5, list: [{ name: "aten::mul", count: 1 }] } },
  { kind: "matched", payload: { graph: "a", matches: 1, per_pass: { FusePool: 1 }, nodes: [["tmp_0", "tmp_1"]], near_misses: [] } },
  { kind: "rewritten", payload: { graph: "a", code: "", nodes: {}, new_nodes: ["masked_pool"] } },
  { kind: "compiled", payload: { graph: "a", seconds: 0.2 } },
  { kind: "correctness", payload: { graph: "a", input_set: "replay", outputs: [output()] } },
  { kind: "correctness", payload: { graph: "a", input_set: "spread 1", outputs: [output({ max_abs: 2e-6 })] } },
  done("a"),
  { kind: "graph_started", payload: { graph: "b", index: 1, total: 2 } },
  { kind: "matched", payload: { graph: "b", matches: 0, per_pass: { FusePool: 0 }, nodes: [], near_misses: [nearMiss()] } },
  done("b", { matches: 0, status: "no_match", first_t: null, launches: null, message: "No pass matched." }),
  {
    kind: "run_done",
    payload: {
      verdict: "clean", findings: [], es_t: null, aggregate_score: null, device: "cpu", versions: { torch: "2.13.0" }, seconds: 3,
      graphs: {
        a: { matches: 1, status: "correct", reason: null, mismatch: null, first_t: -7, launches: { eager: 5, candidate: 1 }, speedup: null, message: null },
        b: { matches: 0, status: "no_match", reason: null, mismatch: null, first_t: null, launches: null, speedup: null, message: "No pass matched." },
      },
    },
  },
  { kind: "state", payload: { state: "done" } },
]);
