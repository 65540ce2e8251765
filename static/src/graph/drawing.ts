/** The drawing in view: before or after the rewrite, or why there is none; and what the shown run marks on it. */

import { computed, effect } from "@preact/signals";
import type { Load } from "../lib/load";
import { LOADING } from "../lib/load";
import { shown, stale } from "../workbench/runs";
import { liveMarks } from "../match/overlay";
import { graphName, graphs, loadRewritten, rewritten, rewrittenKey, showSide, side, step, task } from "../workbench/session";
import type { Marks } from "./marks";
import { faded, marksAfter, marksBefore } from "./marks";
import type { GraphJson } from "./types";

/** What the shown run says about the graph in view. */
export const runOfGraph = computed(() => shown.value?.view.graphs.find((graph) => graph.name === graphName.value) ?? null);

/** "absent" after the rewrite: there is none, and `message` says why. */
export type Drawing = Load<GraphJson & { source: string; new_nodes?: string[] }> | { status: "absent"; message: string };

export const drawing = computed<Drawing>(() => {
  const name = graphName.value;
  if (task.value.status === "failed") return task.value;
  if (name === null) return task.value.status === "ready" ? { status: "absent", message: "This task has no graphs." } : LOADING;
  if (side.value === "before") return graphs.value[name] ?? LOADING;
  const run = shown.value;
  if (run === null) return { status: "absent", message: "Nothing has been rewritten yet. Run the pass (Ctrl Enter) to see the graph it leaves." };
  const result = runOfGraph.value;
  if (result?.rewritten) return rewritten.value[rewrittenKey(run.id, name, step.value)] ?? LOADING;
  if (result?.status === "no_match") return { status: "absent", message: "No pass matched this graph, so nothing was rewritten. Before shows where the nearest one stopped." };
  if (result?.phase === "done") return { status: "absent", message: `This graph was not rewritten${result.message ? `: ${result.message}` : "."}` };
  return { status: "absent", message: "Not rewritten yet: the run has not come to this graph." };
});

effect(() => {
  const run = shown.value;
  if (side.value === "after" && run !== null && graphName.value !== null && runOfGraph.value?.rewritten) {
    const [name, at] = [graphName.value, step.value];
    queueMicrotask(() => void loadRewritten(run.id, name, at));
  }
});

/** The passes that changed this graph, in order: what the scrub goes through. */
export const steps = computed(() => Object.entries(runOfGraph.value?.perPass ?? {}).filter(([, matches]) => matches > 0).map(([pass]) => pass));

/** One step further from before, through the passes, to after; or one back. */
export function scrub(by: 1 | -1): void {
  const last = steps.value.length;
  if (last === 0) return;
  const at = side.value === "before" ? 0 : step.value === null ? last : step.value + 1;
  const next = Math.min(last, Math.max(0, at + by));
  showSide(next === 0 ? "before" : "after", next === 0 || next === last ? null : next - 1);
}

/** Every drawing of the graph in view that is known: room is made in all of them alike, so that nothing moves between them. */
let lastSiblings: readonly GraphJson[] = [];
export const siblings = computed<readonly GraphJson[]>(() => {
  const now = knownDrawings();
  // The same list while a run streams: nothing is laid out again for news that are not about the drawing.
  if (now.length !== lastSiblings.length || now.some((one, index) => one !== lastSiblings[index])) lastSiblings = now;
  return lastSiblings;
});

function knownDrawings(): GraphJson[] {
  const [run, name] = [shown.value, graphName.value];
  if (run === null || name === null) return [];
  const after = steps.value.map((_, index, all) => rewritten.value[rewrittenKey(run.id, name, index === all.length - 1 ? null : index)]);
  return [graphs.value[name], ...after].flatMap((entry) => (entry?.status === "ready" ? [entry.value as GraphJson] : []));
}

/** What the text in the editor matches now comes before what the last run said. */
export const marks = computed<Marks>(() => {
  const now = drawing.value;
  if (liveMarks.value !== null) return liveMarks.value;
  if (side.value === "before" || now.status !== "ready") return stale.value ? faded(marksBefore(runOfGraph.value)) : marksBefore(runOfGraph.value);
  const byName = new Map(now.value.nodes.map((node) => [node.name, node]));
  const isCall = (name: string): boolean => byName.get(name)?.op !== "call_function" || !byName.get(name)!.target.startsWith("operator.");
  return marksAfter(now.value.new_nodes ?? [], isCall);
});
