/** The story of one graph in a few sentences: did it match, is it right, is it faster, why, what to do next. Pure. */

import type { Timed } from "../events";
import { error, firstT, micros, plural, ratio } from "../format";
import type { Tone } from "../vocabulary";
import { speedWord, statusWord, words } from "../vocabulary";
import { dominates, measuredCost } from "./cost";
import { EAGER, participantName, speedOf, YOURS } from "./speed";
import type { GraphView } from "./view";

export interface Answer {
  tone: Tone;
  glyph: string;
  text: string;
}

const said = (tone: Tone, glyph: string, text: string): Answer => ({ tone, glyph, text });

/** "1 match, by FusePooling"; null while nobody knows. */
export function matchAnswer({ matches, perPass, status }: GraphView): Answer | null {
  if (matches === null || status === "rejected" || status === "eager_fail") return null;
  if (matches === 0) return said("fail", "■", "No pass matched.");
  const by = Object.entries(perPass).filter(([, count]) => count > 0).map(([name]) => name);
  return said("correct", "●", `${plural(matches, "match", "matches")}${by.length === 0 ? "" : `, by ${by.join(", ")}`}.`);
}

export function rightAnswer(graph: GraphView): Answer | null {
  const { status, firstT: first, maxAbs } = graph;
  if (status === "correct") {
    const from = first !== null && first <= -99 ? "equal in every bit" : `correct from t = ${firstT(first)} on`;
    return said("correct", "●", `Yes: ${from}${maxAbs === null ? "" : `, largest error ${error(maxAbs)}`}.`);
  }
  if (status === "accuracy") {
    const why = graph.mismatch !== null ? `${words(graph.mismatch)} mismatch` : first === null ? "not correct at any t" : `correct from t = ${firstT(first)} only; t = −5 is asked`;
    return said("warn", "▲", `No: ${why}.`);
  }
  if (status === null || graph.matches === 0) return null;
  const word = statusWord(status);
  return said(word.tone, word.glyph, `Not compared: ${word.text}${graph.reason === null ? "" : `, ${words(graph.reason)}`}.`);
}

/** The author's speed by `e2e` and by `graph`, and against Inductor; null where nothing was timed. */
export function fasterAnswer(graph: GraphView): Answer | null {
  const shown = (["e2e", "graph"] as const).flatMap((method) => {
    const found = speedOf(graph, method);
    return found === null ? [] : [{ method, found }];
  });
  const first = shown[0];
  if (first === undefined) return null;
  const word = first.found.word ?? speedWord(Number.parseFloat(first.found.value) >= 1 ? "faster" : "slower");
  const beside = against(graph.timings, "inductor");
  return said(word.tone, word.glyph, `${shown.map(({ method, found }) => `${found.value} ${found.interval} by ${method}`.replace("  ", " ")).join(", ")}${beside === "" ? "" : `; ${beside}`}.`);
}

/** "Inductor 1.06× by e2e, 2.82× by graph": through the same entry. */
function against(timings: readonly Timed[], who: string): string {
  const values = ["e2e", "graph"].flatMap((method) => {
    const found = direct(timings, method)?.ratios[who];
    return found === undefined ? [] : [`${ratio(found.value)} by ${method}`];
  });
  return values.length === 0 ? "" : `${participantName(who)} ${values.join(", ")}`;
}

const direct = (timings: readonly Timed[], method: string): Timed | undefined => timings.find((one) => one.entry === "direct" && one.method === method);

export function whyAnswer(graph: GraphView): string {
  const before = graph.profiles[EAGER]?.total ?? graph.launches?.[EAGER] ?? null;
  const after = graph.profiles[YOURS]?.total ?? graph.launches?.[YOURS] ?? null;
  const counts = before === null || after === null ? "" : `${before} ${before === 1 ? "launch" : "launches"} became ${after}.`;
  const yours = dominates(measuredCost(graph).find((bar) => bar.who === YOURS));
  return [counts, yours === "" ? "" : `Of a call by e2e, ${yours}.`].filter(Boolean).join(" ");
}

/** From here on a kernel is as near to the floor as kernels come. */
const NEAR_FLOOR = 0.7;

/** What to do next, the most useful first; empty while the graph is judged. */
export function nextSteps(graph: GraphView): string[] {
  if (graph.phase !== "done" || graph.status === null) return [];
  if (graph.status !== "correct") return [repair(graph)].filter(Boolean);
  if (!graph.timings.some((one) => one.medians[YOURS] !== undefined)) return ["It is right. What it is worth in time needs a GPU: choose a GPU device, or export a bundle below and bring its results back."];
  return [...improve(graph)];
}

function repair(graph: GraphView): string {
  switch (graph.status) {
    case "no_match":
      return graph.nearMisses.length === 0 ? "Write the pattern from the graph's own lines: model.py below has them." : "Make the pattern say what the graph says at the first node that differs; both sides stand under the nearest miss.";
    case "accuracy": {
      if (graph.mismatch === "dtype" || graph.mismatch === "shape" || graph.mismatch === "count") return `Let the launcher return what the pattern returns: the ${graph.mismatch} differs. The table says what is expected.`;
      if (graph.mismatch === "nan") return "Find where NaN or Inf comes from: most often a masked load without `other`, or a division by zero.";
      const nearer = graph.diagnosis?.truth?.some((report) => report?.nearer === "candidate") === true;
      return nearer ? "Yours is nearer to float64 than eager, and still too far from eager: round where the graph rounds, for example to its dtype between two steps." : "Look at the error map: a whole row or edge points to a mask or a grid, errors everywhere to the arithmetic. The script reproduces it on a small input.";
    }
    case "rejected":
      return graph.reason === "violation" ? "Remove what the findings name; each says where it stands." : "Mend what the message says: nothing of the pass was run on a graph.";
    case "compile_fail":
    case "runtime_fail":
      return "Go to the place that the message names. Nothing was compared.";
    default:
      return "";
  }
}

function* improve(graph: GraphView): Generator<string> {
  const whole = direct(graph.timings, "e2e");
  const device = direct(graph.timings, "graph");
  const yours = device?.medians[YOURS];
  const inductor = device?.medians["inductor"];
  if (yours !== undefined && inductor !== undefined && yours > inductor * 1.02) yield `Inductor's kernels take ${micros(inductor)} µs by graph, yours ${micros(yours)} µs: see below what it launches, with which grid.`;
  const all = whole?.medians[YOURS];
  if (all !== undefined && yours !== undefined && all - yours > yours) {
    const theirs = whole?.medians["inductor"];
    const ahead = theirs !== undefined && inductor !== undefined && theirs < all * 0.98 && yours <= inductor * 1.02 ? ` That is also why Inductor is ${micros(all - theirs)} µs ahead by e2e.` : "";
    yield `${micros(all - yours)} µs of ${micros(all)} µs by e2e are Python and launches: a faster kernel changes little there.${ahead} Let the launcher do less: one launch, no checks, no tensors made that are not returned.`;
  }
  const fraction = graph.roofline?.fraction[YOURS];
  const least = graph.roofline?.kernel_minimum ?? 0;
  if (fraction !== undefined && yours !== undefined) {
    if (yours <= least * 2) yield `The kernel is near the ${micros(least)} µs that an empty one takes: there is little left to gain by graph.`;
    else if (fraction >= NEAR_FLOOR) yield `At ${Math.round(100 * fraction)} % of the floor there is little left to gain in the kernel.`;
    else yield `The kernel reaches ${Math.round(100 * fraction)} % of the floor: try other block sizes and numbers of warps, wider loads, and reading nothing twice.`;
  }
  if (whole?.ratios[YOURS]?.word === "inconclusive") yield "The interval by e2e stayed wide: the host was busy. Trust graph, or run again.";
}

/** Geometric mean of Inductor's speed-up by e2e over all graphs; null where one of them has none. */
export function inductorMean(graphs: readonly GraphView[]): number | null {
  const logs = graphs.map((graph) => Math.log(direct(graph.timings, "e2e")?.ratios["inductor"]?.value ?? NaN));
  const mean = Math.exp(logs.reduce((sum, one) => sum + one, 0) / logs.length);
  return Number.isFinite(mean) ? mean : null;
}
