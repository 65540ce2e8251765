/** What a run's timings say, as rows and sentences ready to be set. Pure; every number keeps its method and entry. */

import type { SpeedRatio, Timed } from "../events";
import { halfWidth, micros, ratio } from "../format";
import type { Word } from "../vocabulary";
import { speedWord } from "../vocabulary";
import type { GraphView } from "./view";

export const EAGER = "eager";
export const YOURS = "candidate";

/** Which drawing has the nodes that a participant's kernels name: the author's are those of the rewritten graph. */
export const sideOf = (who: string): "before" | "after" => (who === YOURS ? "after" : "before");

const METHODS = ["e2e", "gpu", "graph", "kernel"];
const ENTRIES = ["direct", "compiled", "published"];

export const METHOD_MEANS: Record<string, string> = {
  e2e: "Host clock around one call, device synchronised: what scores follow",
  gpu: "Device events around one call",
  graph: "CUDA-graph replay: free of Python and of launch cost",
  kernel: "Sum of the kernels' times, from a profile",
};

export const ENTRY_MEANS: Record<string, string> = {
  direct: "The FX module, or the compiled graph, called directly",
  compiled: "Called through torch.compile, with its guards",
  published: "Eager direct, the others through torch.compile, one after the other: as in published tables",
};

const NAMES: Record<string, string> = { eager: "eager", candidate: "yours", inductor: "Inductor" };

/** "candidate" → "yours", "inductor-max-autotune" → "Inductor max-autotune". */
export function participantName(who: string): string {
  if (Object.hasOwn(NAMES, who)) return NAMES[who]!;
  return who.replace(/^inductor[-_ ]+/, "Inductor ").replaceAll("_", " ");
}

/** Eager first, the author's last, baselines by name between them. */
export function inOrder(participants: Iterable<string>): string[] {
  const weight = (who: string): number => (who === EAGER ? 0 : who === YOURS ? 2 : 1);
  return [...new Set(participants)].sort((a, b) => weight(a) - weight(b) || a.localeCompare(b));
}

export interface Speed {
  value: string;
  /** "±0.02"; "" where only a median is known. */
  interval: string;
  word: Word | null;
  title: string;
}

function speed(found: SpeedRatio, what: string): Speed {
  const word = speedWord(found.word);
  return {
    value: ratio(found.value),
    interval: halfWidth(found.value, found.low, found.high),
    word,
    title: `${what}: ${ratio(found.value)}, 95 % interval ${found.low.toFixed(3)} to ${found.high.toFixed(3)}, ${found.rounds} rounds: ${word.text}. ${word.means}`,
  };
}

/** The author's speed-up of a graph by one method, through the entry that scores follow; null when there is none. */
export function speedOf(graph: Pick<GraphView, "timings" | "speedup">, method: string): Speed | null {
  for (const entry of ["direct", "published"]) {
    const found = graph.timings.find((timing) => timing.method === method && timing.entry === entry)?.ratios[YOURS];
    if (found !== undefined) return speed(found, `eager / yours by ${method}, ${entry}`);
  }
  const median = graph.speedup?.[method];
  return median === undefined ? null : { value: ratio(median), interval: "", word: null, title: `eager / yours by ${method}` };
}

/** Whether anything was timed of which the author's is a part. */
export function isTimed(graphs: readonly Pick<GraphView, "timings" | "speedup">[]): boolean {
  return graphs.some((graph) => graph.speedup !== null || graph.timings.some((timing) => timing.medians[YOURS] !== undefined));
}

export interface TimingCell {
  who: string;
  median: string;
  speed: Speed | null;
  /** Why there is no number. */
  missing: string | null;
}

export interface TimingRow {
  method: string;
  entry: string;
  cells: TimingCell[];
}

export interface TimingTable {
  participants: string[];
  rows: TimingRow[];
}

export function timingTable(timings: readonly Timed[]): TimingTable {
  const participants = inOrder(timings.flatMap((timing) => [...Object.keys(timing.medians), ...Object.keys(timing.missing)]));
  const place = (list: readonly string[], value: string): number => (list.includes(value) ? list.indexOf(value) : list.length);
  const ordered = [...timings].sort((a, b) => place(METHODS, a.method) - place(METHODS, b.method) || place(ENTRIES, a.entry) - place(ENTRIES, b.entry));
  return { participants, rows: ordered.map((timing) => ({ method: timing.method, entry: timing.entry, cells: participants.map((who) => cell(timing, who)) })) };
}

function cell(timing: Timed, who: string): TimingCell {
  const median = timing.medians[who];
  const found = timing.ratios[who];
  return {
    who,
    median: median === undefined ? "–" : micros(median),
    speed: found === undefined ? null : speed(found, `eager / ${participantName(who)} by ${timing.method}, ${timing.entry}`),
    missing: median === undefined ? (timing.missing[who] ?? "not timed by this method") : null,
  };
}

/** How much of the difference to eager by `e2e` is kernels (by `graph`) and how much the host; "" when it cannot be told. */
export function hostOrKernel(timings: readonly Timed[]): string {
  const medians = (method: string): Record<string, number> | undefined => timings.find((timing) => timing.entry === "direct" && timing.method === method)?.medians;
  const whole = medians("e2e");
  const device = medians("graph");
  if (whole?.[EAGER] === undefined || whole[YOURS] === undefined || device?.[EAGER] === undefined || device[YOURS] === undefined) return "";
  const all = whole[EAGER] - whole[YOURS];
  const kernels = device[EAGER] - device[YOURS];
  const signed = (value: number): string => `${value < 0 ? "−" : "+"}${micros(Math.abs(value))} µs`;
  const verb = all >= 0 ? "saves" : "loses";
  return `By e2e yours ${verb} ${micros(Math.abs(all))} µs against eager: ${signed(kernels)} in kernels, ${signed(all - kernels)} on the host.`;
}
