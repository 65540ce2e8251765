/** Two runs side by side, graph by graph, so that a row reads as a difference. Pure. */

import { ratio } from "../format";
import { speedOf } from "./speed";
import type { GraphView, RunView } from "./view";

export interface Side {
  status: string | null;
  firstT: number | null;
  launches: number | null;
  /** eager / yours by the method asked for, with its interval; null where not measured. */
  speed: { value: number; low: number; high: number } | null;
  speedText: string;
}

export type Change = "better" | "worse" | "same" | "unknown";

export interface Row {
  graph: string;
  left: Side | null;
  right: Side | null;
  change: Change;
  /** "now correct", "1.21× faster", "1 launch fewer"; "" where nothing differs. */
  words: string;
}

/** Rows of the left run first, in its order, then those that only the right one has. */
export function compareRuns(left: RunView, right: RunView, method: string): Row[] {
  const names = [...new Set([...left.graphs, ...right.graphs].map((graph) => graph.name))];
  const find = (run: RunView, name: string): Side | null => {
    const graph = run.graphs.find((one) => one.name === name);
    return graph === undefined ? null : sideOf(graph, method);
  };
  return names.map((graph) => {
    const one = find(left, graph);
    const other = find(right, graph);
    return { graph, left: one, right: other, ...difference(one, other) };
  });
}

function sideOf(graph: GraphView, method: string): Side {
  const timed = ["direct", "published"].map((entry) => graph.timings.find((one) => one.method === method && one.entry === entry)?.ratios["candidate"]).find((found) => found !== undefined);
  const median = graph.speedup?.[method];
  const text = speedOf(graph, method);
  return {
    status: graph.status, firstT: graph.firstT, launches: graph.launches?.["candidate"] ?? null,
    speed: timed !== undefined ? { value: timed.value, low: timed.low, high: timed.high } : median === undefined ? null : { value: median, low: median, high: median },
    speedText: text === null ? "–" : `${text.value} ${text.interval}`.trim(),
  };
}

/** The first of status, speed and launches in which the two differ; speeds differ where their intervals do not touch. */
function difference(left: Side | null, right: Side | null): { change: Change; words: string } {
  if (left === null || right === null) return { change: "unknown", words: left === null ? "only in the second" : "only in the first" };
  const was = left.status === "correct";
  const is = right.status === "correct";
  if (was !== is) return is ? { change: "better", words: "now correct" } : { change: "worse", words: "no longer correct" };
  if (left.speed !== null && right.speed !== null) {
    const factor = right.speed.value / left.speed.value;
    if (right.speed.low > left.speed.high) return { change: "better", words: `${ratio(factor)} as fast` };
    if (right.speed.high < left.speed.low) return { change: "worse", words: `${ratio(factor)} as fast` };
  }
  if (left.launches !== null && right.launches !== null && left.launches !== right.launches) {
    const more = right.launches - left.launches;
    return { change: more < 0 ? "better" : "worse", words: `launches ${more < 0 ? "−" : "+"}${Math.abs(more)}` };
  }
  if (left.status !== right.status) return { change: "unknown", words: "fails in another way" };
  if (left.firstT !== right.firstT) return firstDiffers(left.firstT, right.firstT);
  return { change: "same", words: "" };
}

function firstDiffers(left: number | null, right: number | null): { change: Change; words: string } {
  const closer = (right ?? Infinity) < (left ?? Infinity);
  return { change: closer ? "better" : "worse", words: closer ? "right at a smaller t" : "right at a larger t only" };
}
