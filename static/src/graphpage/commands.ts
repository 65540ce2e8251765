/** The graph page's part of the palette. */

import type { Command } from "../frame/command";
import { possible } from "../frame/command";
import { colourBy } from "../graph/coloured";
import { COLOUR_BY, COLOUR_WORDS } from "../graph/colouring";
import { drawing } from "../graph/drawing";
import type { Format } from "../graph/export";
import { FORMATS } from "../graph/export";
import { setAll } from "../graph/folding";
import { grow, select, selected, shrink } from "../graph/selection";
import { tell } from "../lib/hub";
import { valueOf } from "../lib/load";
import { toggleTheme } from "../lib/theme";
import { facts } from "./store";

const some = (): boolean => selected.value.size > 0;

export function graphCommands(focusPane: (pane: string) => void): Command[] {
  return possible([
    { id: "search", title: "Search nodes", group: "Graph", keys: "/", run: () => document.querySelector<HTMLElement>(".node-search")?.focus() },
    { id: "fit", title: "Fit the graph", group: "Graph", run: () => tell("fitGraph", undefined) },
    { id: "fold", title: "Fold the repeated blocks of the graph", group: "Graph", run: () => setAll(false) },
    { id: "unfold", title: "Open the repeated blocks of the graph", group: "Graph", run: () => setAll(true) },
    { id: "grow-up", title: "Grow the selection to producers", group: "Graph", enabled: some, run: () => grow("producers") },
    { id: "grow-down", title: "Grow the selection to consumers", group: "Graph", enabled: some, run: () => grow("consumers") },
    { id: "shrink", title: "Shrink the selection", group: "Graph", enabled: some, run: shrink },
    { id: "select-none", title: "Clear the selection", group: "Graph", enabled: some, run: () => select([]) },
    ...COLOUR_BY.map((by): Command => ({ id: `colour:${by}`, title: `Colour the graph by ${COLOUR_WORDS[by]}`, group: "Graph", run: () => (colourBy.value = by) })),
    ...FORMATS.map((format: Format): Command => ({ id: `export:${format}`, title: `Export the graph as ${format.toUpperCase()}`, group: "Graph", run: () => tell("exportGraph", { format }) })),
    ...(["graph", "code", "facts"] as const).map((pane): Command => ({ id: `pane:${pane}`, title: { graph: "Go to the graph", code: "Go to model.py", facts: "Go to what is known about it" }[pane], group: "View", run: () => focusPane(pane) })),
    { id: "theme", title: "Switch between light and dark", group: "View", run: toggleTheme },
    { id: "catalogue", title: "Go to the catalogue", group: "Go to", run: () => location.assign("/") },
  ]);
}

export function graphPlaces(): Command[] {
  const page = valueOf(facts.value);
  const now = drawing.value;
  return [
    ...(page?.tasks ?? []).map((task): Command => ({ id: `task:${task.slug}`, title: `Go to task ${task.title}, with this graph`, group: "Go to", run: () => location.assign(`/tasks/${encodeURIComponent(task.slug)}/?graph=${encodeURIComponent(task.graph)}`) })),
    ...(page?.relatives ?? []).map((one): Command => ({ id: `graph:${one.identity}`, title: `Open the page of graph ${one.name}`, group: "Go to", run: () => location.assign(`/graphs/${one.identity}/`) })),
    ...(now.status === "ready" ? now.value.nodes : []).map((node): Command => ({ id: `node:${node.name}`, title: `Go to node ${node.name}  ${node.target}`, group: "Graph", run: () => { select([node.name]); tell("revealNode", { node: node.name }); } })),
  ];
}
