/** From a result to the nodes it is about: selected, in sight, on the side of the rewrite that has them. */

import { tell } from "../lib/hub";
import type { Side } from "../workbench/session";
import { graphName, showGraph, showSide, side } from "../workbench/session";
import { select, selected } from "./selection";

export function showNodes(graph: string, nodes: readonly string[], on: Side = "before"): void {
  const first = nodes[0];
  if (first === undefined) return;
  showGraph(graph);
  if (side.value !== on) showSide(on);
  select(nodes, first);
  tell("revealNode", { node: first });
}

/** Whether one of the nodes is selected, on that side. Reads signals: what it colours follows the selection. */
export function showsAny(graph: string, nodes: readonly string[], on: Side = "before"): boolean {
  return graphName.value === graph && side.value === on && nodes.some((node) => selected.value.has(node));
}
