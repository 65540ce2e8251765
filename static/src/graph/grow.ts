/** Neighbours of a selection. Pure. */

import type { GraphEdge } from "./types";

export type Reach = "producers" | "consumers";

/** The names with all direct producers, or all direct consumers, of each of them. */
export function grown(edges: readonly Pick<GraphEdge, "source" | "target">[], names: ReadonlySet<string>, reach: Reach): Set<string> {
  const next = new Set(names);
  for (const { source, target } of edges) {
    const [from, to] = reach === "producers" ? [target, source] : [source, target];
    if (names.has(from)) next.add(to);
  }
  return next;
}
