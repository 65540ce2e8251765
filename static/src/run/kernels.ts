/** Kernels of eager, of baselines and of the author's pass, and what became of eager's. Pure. */

import type { DeviceKernel, KernelCount } from "../events";
import { micros } from "../format";
import { EAGER, inOrder, participantName } from "./speed";
import type { GraphView } from "./view";

export type Change = "removed" | "kept" | "new" | "eager";

export interface KernelRow {
  name: string;
  change: Change;
  /** Launches by this participant; of a removed kernel, by eager. */
  count: number;
  /** Eager's launches where they are not the same. */
  before: number | null;
  /** "12.4" µs of one launch; "" where nothing was profiled. */
  duration: string;
  /** "grid 96, block 128, 32 registers, 2.05 kB shared memory"; "" where not known. */
  launch: string;
  nodes: readonly string[];
}

export interface KernelList {
  who: string;
  name: string;
  total: number | null;
  /** Launches more or fewer than eager's. */
  change: number | null;
  /** µs of all of them; "" where nothing was profiled. */
  time: string;
  rows: KernelRow[];
}

type Counts = Pick<GraphView, "kernels" | "launches" | "profiles">;

export function kernelLists(graph: Counts): KernelList[] {
  const eager = graph.kernels[EAGER] ?? [];
  const before = graph.profiles[EAGER]?.total ?? graph.launches?.[EAGER] ?? null;
  return inOrder(Object.keys(graph.kernels)).map((who) => {
    const own = graph.kernels[who]!;
    const profile = graph.profiles[who];
    const total = profile?.total ?? graph.launches?.[who] ?? null;
    return {
      who, name: participantName(who), total,
      change: who === EAGER || total === null || before === null ? null : total - before,
      time: profile === undefined ? "" : micros(profile.device_time),
      rows: who === EAGER ? own.map((kernel) => row(kernel, "eager", null)) : difference(eager, own),
    };
  });
}

/** New ones first, then those that stayed, then what is gone. */
function difference(eager: readonly KernelCount[], own: readonly KernelCount[]): KernelRow[] {
  const before = new Map(eager.map((kernel) => [kernel.name, kernel]));
  const after = new Set(own.map((kernel) => kernel.name));
  const fresh = own.filter((kernel) => !before.has(kernel.name)).map((kernel) => row(kernel, "new", null));
  const kept = own.filter((kernel) => before.has(kernel.name)).map((kernel) => {
    const old = before.get(kernel.name)!.count;
    return row(kernel, "kept", old === kernel.count ? null : old);
  });
  const removed = eager.filter((kernel) => !after.has(kernel.name)).map((kernel) => row(kernel, "removed", null));
  return [...fresh, ...kept, ...removed];
}

function row(kernel: KernelCount, change: Change, before: number | null): KernelRow {
  const seen = "duration" in kernel ? (kernel as DeviceKernel) : null;
  return {
    name: kernel.name, change, count: kernel.count, before,
    duration: seen === null ? "" : micros(seen.duration),
    launch: seen === null ? "" : launchText(seen),
    nodes: seen?.nodes ?? [],
  };
}

function launchText(kernel: DeviceKernel): string {
  const size = (label: string, dims: readonly number[] | null): string => (dims === null ? "" : `${label} ${trimmed(dims).join("×")}`);
  return [
    kernel.kind === "kernel" ? "" : kernel.kind, size("grid", kernel.grid), size("block", kernel.block),
    kernel.registers === null ? "" : `${kernel.registers} registers`,
    kernel.shared_memory === null || kernel.shared_memory === 0 ? "" : `${kernel.shared_memory.toLocaleString("en-US")} B shared memory`,
  ].filter(Boolean).join(", ");
}

/** [96, 1, 1] → [96]. */
function trimmed(dims: readonly number[]): number[] {
  const last = dims.reduce((at, size, index) => (size > 1 ? index : at), 0);
  return dims.slice(0, last + 1);
}
