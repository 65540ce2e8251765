/** The part of the page's state that its address carries, so that a reload or a link comes back to it. */

import { effect } from "@preact/signals";
import type { Side } from "./session";
import { graphName, graphNames, side, step } from "./session";
import { layout } from "../frame/frame";
import { encodeLayout } from "../frame/layout";
import { selected } from "../graph/selection";
import { shown } from "./runs";
import { pins } from "../run/pins";
import { linkedRow } from "../verdict/rows";

export interface Address {
  run: string | null;
  graph: string | null;
  side: Side;
  /** The graph whose row is open, or was opened last. */
  row: string | null;
  /** Runs pinned for a comparison, two at most. */
  pins: readonly string[];
  /** The graph between two passes; null for before or after all. */
  step: number | null;
  /** What is selected in the graph. */
  nodes: readonly string[];
  /** Sizes of the panes (frame/layout); null for the usual ones. */
  layout: string | null;
}

/** A selection that does not fit into an address is not carried. */
const MOST_NODES = 40;

export function readAddress(search: string): Address {
  const query = new URLSearchParams(search);
  return { run: query.get("run"), graph: query.get("graph"), side: query.get("side") === "after" ? "after" : "before", row: query.get("row"), pins: query.getAll("pin").slice(0, 2), step: stepOf(query.get("step")), nodes: query.getAll("node").slice(0, MOST_NODES), layout: query.get("layout") };
}

function stepOf(text: string | null): number | null {
  return text !== null && /^\d{1,2}$/.test(text) ? Number(text) : null;
}

/** Only what is not the default: a plain address stays plain. */
export function writeAddress({ run, graph, side: view, row, pins: pinned, step: at, nodes, layout: sizes }: Address): string {
  const query = new URLSearchParams();
  if (graph !== null) query.set("graph", graph);
  if (view === "after") query.set("side", view);
  if (at !== null) query.set("step", String(at));
  if (run !== null) query.set("run", run);
  if (row !== null) query.set("row", row);
  for (const pin of pinned) query.append("pin", pin);
  if (nodes.length <= MOST_NODES) for (const node of nodes) query.append("node", node);
  if (sizes !== null) query.set("layout", sizes);
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

export function followAddress(): void {
  effect(() => {
    const first = graphNames.value[0];
    if (first === undefined) return;
    const graph = graphName.value === first ? null : graphName.value;
    const next = writeAddress({ run: shown.value?.id ?? null, graph, side: side.value, row: linkedRow.value, pins: pins.value, step: step.value, nodes: [...selected.value], layout: encodeLayout(layout.value) });
    if (next !== location.search) history.replaceState(null, "", `${location.pathname}${next}`);
  });
}
