/** What a run knows about the nodes of a graph, to be painted over its drawing. Pure. */

import type { DeviceKernels } from "../events";
import { EAGER, YOURS } from "./speed";
import type { GraphView } from "./view";

export interface Overlays {
  /** µs that a node's kernels take in one call. Nodes that launch nothing are not in it. */
  time: Map<string, number>;
  /** Names of the kernels that a node launches, in the order of first launch. */
  kernels: Map<string, string[]>;
  /** Nodes with one number become one: a match of a pass, numbered from 0. After the rewrite, the calls that stand for one. */
  groups: Map<string, number>;
  /** The same for what Inductor fuses into one kernel; empty where its kernels' origin is not known. */
  inductor: Map<string, number>;
}

type Known = Pick<GraphView, "profiles" | "matchedNodes" | "newNodes">;

/**
 * Before the rewrite nodes are the graph's own and times are eager's; after it they are the rewritten graph's and the
 * author's. Null when the run has nothing to say about any node.
 */
export function overlays(graph: Known, side: "before" | "after" = "before"): Overlays | null {
  const { time, kernels } = launched(graph.profiles[side === "before" ? EAGER : YOURS]);
  const groups = side === "before" ? grouped(graph.matchedNodes) : grouped(graph.newNodes.filter((name) => kernels.has(name)).map((name) => [name]));
  const fused = graph.profiles["inductor"]?.list.map((kernel) => kernel.nodes).filter((nodes) => nodes.length > 0) ?? [];
  const inductor = side === "before" ? grouped(fused) : new Map<string, number>();
  return time.size + groups.size + inductor.size === 0 ? null : { time, kernels, groups, inductor };
}

/** A kernel that several nodes launch is profiled as one: its time is shared out evenly. */
function launched(profile: DeviceKernels | undefined): Pick<Overlays, "time" | "kernels"> {
  const time = new Map<string, number>();
  const kernels = new Map<string, string[]>();
  for (const { name, count, duration, nodes } of profile?.list ?? []) {
    for (const node of nodes) {
      time.set(node, (time.get(node) ?? 0) + (count * duration) / nodes.length);
      kernels.set(node, [...(kernels.get(node) ?? []), name]);
    }
  }
  return { time, kernels };
}

/** A node in several groups stays in the first. */
function grouped(groups: readonly (readonly string[])[]): Map<string, number> {
  const found = new Map<string, number>();
  groups.forEach((nodes, index) => {
    for (const node of nodes) if (!found.has(node)) found.set(node, index);
  });
  return found;
}
