/** Baselines as tables and sentences. Pure. Rows that were not measured alike never share a table. */

import { plural } from "../format";
import { isFinal } from "../vocabulary";
import type { BaselineRow, Measuring } from "./types";

export interface BaselineTable {
  key: string;
  /** "CPU, eager against Inductor's CPU compile" */
  title: string;
  here: boolean;
  compiler: string;
  rows: BaselineRow[];
  /** Whether rows differ in entry or method, so that each has to name its own. */
  mixed: boolean;
  /** "e2e · direct entry · 1 thread · torch 2.13.0 · harness 0.1.0 · a processor" */
  how: string;
  /** The newest and the oldest row's time. */
  newest: string;
  oldest: string;
}

const COMPILERS: Record<string, string> = { inductor: "Inductor" };

/** "inductor max-autotune" → "Inductor max-autotune" */
export function compilerName(backend: string): string {
  if (Object.hasOwn(COMPILERS, backend)) return COMPILERS[backend]!;
  return backend.replace(/^inductor\b/, "Inductor");
}

/** One table for each machine, compiler, set of versions and origin; what was measured here comes first. */
export function tables(rows: readonly BaselineRow[]): BaselineTable[] {
  const groups = new Map<string, BaselineRow[]>();
  for (const row of rows) {
    const { device, hardware, backend, threads, origin, versions } = row;
    const key = JSON.stringify([origin !== "", device !== "cpu", device, backend, hardware, threads, versions["torch"], versions["harness"], origin]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, found]) => table(key, found));
}

function table(key: string, rows: BaselineRow[]): BaselineTable {
  const first = rows[0]!;
  const mixed = new Set(rows.map((row) => `${row.entry} ${row.method}`)).size > 1;
  const times = rows.map((row) => row.measured_at).sort();
  const how = [
    ...(mixed ? [] : [first.method, `${first.entry} entry`]),
    ...(first.threads === null ? [] : [plural(first.threads, "thread")]),
    `torch ${first.versions["torch"] ?? "unknown"}`,
    `harness ${first.versions["harness"] ?? "unknown"}`,
    first.hardware,
  ];
  return {
    key, rows, mixed, title: title(first), here: first.origin === "", compiler: compilerName(first.backend),
    how: how.join(" · "), newest: times.at(-1)!, oldest: times[0]!,
  };
}

function title({ device, backend, origin }: BaselineRow): string {
  const compiler = compilerName(backend);
  const what = device === "cpu" ? `CPU, eager against ${compiler}'s CPU compile` : `${device.replace(/^cuda:/, "")}, eager against ${compiler}`;
  return origin === "" ? what : `${what}, imported from ${origin}`;
}

/** "Inductor slower on 2 of 5"; a graph counts once. Null when nothing is known. */
export function inShort(counts: { measured: number; faster: number; slower: number } | null | undefined): string | null {
  if (counts == null || counts.measured === 0) return null;
  const of = `of ${counts.measured}`;
  if (counts.slower > 0) return `Inductor slower on ${counts.slower} ${of}`;
  return counts.faster > 0 ? `Inductor faster on ${counts.faster} ${of}` : `Inductor as fast as eager on ${counts.measured} ${of}`;
}

/** How far the compiler's outputs were right; null where nobody looked, or all is as it should be at t = −5. */
export function outputsWord({ compared, first_t: first }: Pick<BaselineRow, "compared" | "first_t">): string | null {
  if (!compared || (first !== null && first <= -5)) return null;
  return first === null ? "outputs wrong at every t" : `outputs right from t = ${String(first).replace("-", "−")} only`;
}

/** "just now", "5 min ago", "3 h ago", "12 days ago" */
export function age(iso: string, now: number = Date.now()): string {
  const minutes = Math.floor((now - new Date(iso).getTime()) / 60_000);
  if (Number.isNaN(minutes)) return "at an unknown time";
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return `${Math.floor(minutes / 1440)} days ago`;
}

export function isOpen(measuring: Measuring | null): boolean {
  return measuring !== null && !isFinal(measuring.state);
}

/** What stands in the way of all graphs alike, said once; null when graphs differ or nothing does. */
export function commonProblem(measuring: Measuring | null): string | null {
  if (measuring === null) return null;
  const said = new Set(measuring.problems.map((problem) => problem.message));
  return said.size === 1 && measuring.problems.length === measuring.total ? [...said][0]! : null;
}

/** How a run that measures ended when it did not end well; null when it did, or goes on. */
export function badEnd(measuring: Measuring | null): string | null {
  if (measuring === null || !["cancelled", "infrastructure_error"].includes(measuring.state)) return null;
  const kept = measuring.done > 0 ? ` ${plural(measuring.done, "graph")} of ${measuring.total} had been measured until then.` : "";
  return measuring.state === "cancelled" ? `The last measurement was cancelled.${kept}` : `${measuring.message ?? "The last measurement failed."}${kept}`;
}
