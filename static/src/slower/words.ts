/** The words of the page: ways of timing, reasons, contexts. Pure. */

import { compilerName } from "../baseline/words";
import { plural } from "../format";
import type { Context, GraphRow, Share } from "./types";

interface Way {
  /** Over a column. */
  short: string;
  name: string;
  means: string;
}

/** Outermost first: each one leaves out something that the one before it times. */
export const WAYS: Record<string, Way> = {
  "e2e-compiled": { short: "e2e compiled", name: "e2e through torch.compile", means: "Host clock around one call through torch.compile, its guards included" },
  "e2e-direct": { short: "e2e direct", name: "e2e called directly", means: "Host clock around one call of the compiled graph itself, device synchronised" },
  "gpu-direct": { short: "gpu", name: "gpu events", means: "Device events around one call" },
  "graph-direct": { short: "replay", name: "CUDA-graph replay", means: "Replay of one captured call: free of Python, with the launches as the device sees them" },
  "kernel-direct": { short: "kernel", name: "sum of kernels", means: "Sum of the kernels' own times, from a profile: free of all launches" },
};

export const WAY_KEYS = Object.keys(WAYS);

export function way(key: string): Way {
  return Object.hasOwn(WAYS, key) ? WAYS[key]! : { short: key, name: key, means: key };
}

interface Reason {
  name: string;
  means: string;
}

export const NOT_SLOWER = "not slower";

export const REASONS: Record<string, Reason> = {
  host: { name: "host overhead", means: "Slower by the host's clock only: guards of torch.compile, or the call of the compiled graph. Replay and kernels are not slower." },
  launches: { name: "launch count", means: "Slower on the device, and the compiler launches as many kernels as eager or more." },
  kernels: { name: "kernel quality", means: "Its kernels together take longer than eager's, though there are no more of them." },
  unclear: { name: "not told apart", means: "Slower, but what was measured does not say why: only the host's clock, or launches were not counted." },
  [NOT_SLOWER]: { name: "not slower", means: "By no way does the whole 95 % interval lie below 1." },
};

export function reasonName(reason: string): string {
  const key = reason === "" ? NOT_SLOWER : reason;
  return Object.hasOwn(REASONS, key) ? REASONS[key]!.name : key;
}

/** "H200", "CPU" */
export function deviceName(device: string): string {
  return device === "cpu" ? "CPU" : device.replace(/^cuda:/, "");
}

/** "H200 · Inductor · torch 2.13.0 · harness 0.1.0 · 4,211 graphs, from h200.jsonl" */
export function contextName(context: Context): string {
  const { device, backend, torch, harness, threads, origin, graphs } = context;
  const parts = [deviceName(device), compilerName(backend), `torch ${torch || "unknown"}`, `harness ${harness || "unknown"}`, ...(threads > 0 ? [plural(threads, "thread")] : []), plural(graphs, "graph")];
  return `${parts.join(" · ")}, ${origin === "" ? "measured here" : `from ${origin}`}`;
}

/** "71 %"; a share that is not nothing is not shown as 0 %, one that is not all not as 100 %. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return "–";
  const value = (100 * part) / whole;
  if (part > 0 && value < 0.5) return "<1 %";
  if (part < whole && value > 99.5) return ">99 %";
  return `${Math.round(value)} %`;
}

/** "5 → 1"; "" where neither was counted. */
export function launchText({ eager_kernels: eager, kernels }: Pick<GraphRow, "eager_kernels" | "kernels">): string {
  return eager === null && kernels === null ? "" : `${eager ?? "–"} → ${kernels ?? "–"}`;
}

/** What the curves say, for whoever does not see them. */
export function curveWords(shares: readonly Share[]): string {
  return shares.map((one) => `${way(one.way).name}: slower on ${percent(one.slower, one.measured)} of ${one.measured}, median ${one.median === null ? "unknown" : one.median.toFixed(2)}`).join("; ");
}

/** The ratios that the axis has to hold: all but the outermost hundredth on each side, and 1. */
export function extentOf(shares: readonly Share[]): [number, number] {
  const inner = shares.flatMap(({ curve }) => {
    const low = curve.find(([, share]) => share >= 0.01) ?? curve[0];
    const high = curve.find(([, share]) => share >= 0.99) ?? curve.at(-1);
    return low === undefined || high === undefined ? [] : [low[0], high[0]];
  });
  return [Math.min(1, ...inner), Math.max(1, ...inner)];
}
