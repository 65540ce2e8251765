/** Events in, run view out: a pure function, so that a reload, a replay and a live run end in the same state. */

import type { GraphResult, Log, RunEvent, Timed } from "../events";
import { isFinal } from "../vocabulary";
import { worstError } from "./errors";
import { emptyGraph, emptyRun, LOG_LINE_LENGTH, LOG_LINES } from "./view";
import type { GraphView, RunView, StageName } from "./view";

/** Applies a batch. Rows already seen (by number) are skipped, so a batch may overlap the one before. */
export function reduce(view: RunView, events: readonly RunEvent[]): RunView {
  const fresh = events.filter((event) => event.seq > view.seq);
  if (fresh.length === 0) return view;
  const next: RunView = { ...view, stages: { ...view.stages }, graphs: [...view.graphs], log: [...view.log] };
  for (const event of fresh) {
    if (event.seq <= next.seq) continue;
    next.seq = event.seq;
    apply(next, event);
  }
  trimLog(next);
  return next;
}

function apply(view: RunView, event: RunEvent): void {
  const at = Date.parse(event.at);
  switch (event.kind) {
    case "state": {
      const { state, message } = event.payload;
      view.state = state;
      view.message = message ?? null;
      if (state === "queued") begin(view, "queued", at);
      else end(view, "queued", at);
      if (isFinal(state)) for (const name of ["check", "load", "graphs"] as const) end(view, name, at);
      return;
    }
    case "run_started": {
      // A run that lost its worker starts again: what the first attempt said about graphs no longer holds.
      restart(view);
      view.device = event.payload.device;
      view.versions = event.payload.versions;
      view.profile = event.payload.profile;
      view.limits = event.payload.limits;
      view.isolation = event.payload.isolation ?? null;
      // Results from elsewhere may be about some of the task's graphs only: the others are no part of this run.
      view.graphs = view.graphs.filter((graph) => event.payload.graphs.includes(graph.name));
      for (const name of event.payload.graphs) graphIndex(view, name);
      end(view, "queued", at);
      begin(view, "check", at);
      return;
    }
    case "static_check":
      view.staticVerdict = event.payload.verdict;
      end(view, "check", at);
      begin(view, "load", at);
      return;
    case "loaded":
      view.passes = event.payload.passes;
      end(view, "load", at);
      begin(view, "graphs", at);
      return;
    case "graph_started":
      begin(view, "graphs", at);
      change(view, event.payload.graph, () => ({ phase: "started", phaseAt: at, startedAt: at }));
      return;
    case "matched": {
      const { graph, matches, per_pass, nodes, lines = [], near_misses, notes = [] } = event.payload;
      change(view, graph, () => ({ phase: "matched", phaseAt: at, matches, perPass: per_pass, matchedNodes: nodes, lines, nearMisses: near_misses, notes }));
      return;
    }
    case "rewritten":
      change(view, event.payload.graph, () => ({ phase: "rewritten", phaseAt: at, rewritten: true, newNodes: event.payload.new_nodes }));
      return;
    case "compiled":
      change(view, event.payload.graph, () => ({ phase: "compiled", phaseAt: at, compileSeconds: event.payload.seconds }));
      return;
    case "correctness": {
      const { graph, input_set, outputs, ...found } = event.payload;
      const diagnosis = Object.keys(found).length === 0 ? null : { inputSet: input_set, ...found };
      change(view, graph, (old) => {
        const checks = [...old.checks, { inputSet: input_set, outputs }];
        return { phase: "compared", phaseAt: at, diagnosis: old.diagnosis ?? diagnosis, checks, maxAbs: worstError(checks.flatMap((check) => check.outputs)) };
      });
      return;
    }
    case "kernels": {
      const { graph, who, total, list } = event.payload;
      const profile = "device_time" in event.payload ? { [who]: event.payload } : {};
      change(view, graph, (old) => ({
        launches: { ...old.launches, [who]: total }, kernels: { ...old.kernels, [who]: list }, profiles: { ...old.profiles, ...profile },
      }));
      return;
    }
    case "timed": {
      const timing = event.payload;
      change(view, timing.graph, (old) => ({ phase: "timed", phaseAt: at, timings: [...old.timings.filter((known) => !sameMeasure(known, timing)), timing] }));
      return;
    }
    case "verified":
      change(view, event.payload.graph, () => ({ verified: event.payload }));
      return;
    case "roofline":
      change(view, event.payload.graph, () => ({ roofline: event.payload }));
      return;
    case "device":
      change(view, event.payload.graph, () => ({ device: event.payload }));
      return;
    case "reproduction":
      change(view, event.payload.graph, () => ({ reproduction: event.payload }));
      return;
    case "generalisation":
      change(view, event.payload.graph, () => ({ generalisation: event.payload }));
      return;
    case "finding":
      view.findings = [...view.findings, event.payload];
      return;
    case "log":
      appendLog(view, event.payload);
      return;
    case "graph_done": {
      const { graph, seconds, ...result } = event.payload;
      change(view, graph, (old) => ({ ...finished(result, old), seconds }));
      return;
    }
    case "run_done": {
      const { graphs, findings, verdict, seconds, es_t, aggregate_score, profile } = event.payload;
      for (const [name, result] of Object.entries(graphs)) change(view, name, (old) => finished(result, old));
      view.findings = findings;
      view.integrity = verdict;
      view.seconds = seconds;
      view.esT = es_t;
      view.aggregateScore = aggregate_score;
      view.profile = profile ?? view.profile;
      view.device = event.payload.device;
      view.versions = event.payload.versions;
      view.isolationParts = event.payload.isolation ?? null;
      for (const name of ["queued", "check", "load", "graphs"] as const) end(view, name, at);
      return;
    }
    default:
      return; // a kind of a later version: its number is kept, its content ignored
  }
}

function restart(view: RunView): void {
  const fresh = emptyRun(view.graphs.map((graph) => graph.name));
  const { graphs, findings, passes, staticVerdict, integrity, seconds, esT, aggregateScore } = fresh;
  Object.assign(view, { graphs, findings, passes, staticVerdict, integrity, seconds, esT, aggregateScore });
  view.stages = { ...fresh.stages, queued: view.stages.queued };
}

function begin(view: RunView, name: StageName, at: number): void {
  const stage = view.stages[name];
  if (stage.start === null || (name === "queued" && stage.end !== null)) view.stages[name] = { start: at, end: null };
}

function end(view: RunView, name: StageName, at: number): void {
  const stage = view.stages[name];
  if (stage.start !== null && stage.end === null) view.stages[name] = { start: stage.start, end: at };
}

function graphIndex(view: RunView, name: string): number {
  const found = view.graphs.findIndex((graph) => graph.name === name);
  if (found >= 0) return found;
  view.graphs.push(emptyGraph(name));
  return view.graphs.length - 1;
}

function change(view: RunView, name: string, update: (old: GraphView) => Partial<GraphView>): void {
  const index = graphIndex(view, name);
  const old = view.graphs[index]!;
  view.graphs[index] = { ...old, ...update(old) };
}

function sameMeasure(a: Timed, b: Timed): boolean {
  return a.entry === b.entry && a.method === b.method;
}

function finished(result: GraphResult, old: GraphView): Partial<GraphView> {
  const { matches, status, reason, mismatch, first_t, launches, speedup, message } = result;
  return { phase: "done", matches, status, reason, mismatch, firstT: first_t, launches: launches === null ? old.launches : { ...old.launches, ...launches }, speedup, message };
}

function appendLog(view: RunView, { stream, text, truncated }: Log): void {
  if (truncated) view.logTruncated = true;
  if (text === "") return;
  const lines = text.split("\n");
  const complete = lines.at(-1) === "";
  if (complete) lines.pop();
  const last = view.log.at(-1);
  if (view.logOpen && last?.stream === stream) {
    view.log[view.log.length - 1] = { stream, text: cut(last.text + lines.shift()!) };
  }
  for (const line of lines) view.log.push({ stream, text: cut(line) });
  view.logOpen = !complete;
}

function cut(line: string): string {
  return line.length <= LOG_LINE_LENGTH ? line : `${line.slice(0, LOG_LINE_LENGTH)}…`;
}

function trimLog(view: RunView): void {
  const surplus = view.log.length - LOG_LINES;
  if (surplus <= 0) return;
  view.log = view.log.slice(surplus);
  view.logDropped += surplus;
}
