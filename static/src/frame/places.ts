/** Where one can go by name: tasks, saved searches, graphs and their results, nodes. Too many to be listed before a letter is typed. */

import { signal } from "@preact/signals";
import type { TaskRow } from "../api";
import { api } from "../api";
import { loadSearches, searches } from "../catalogue/searches";
import { select } from "../graph/selection";
import { drawing } from "../graph/drawing";
import { tell } from "../lib/hub";
import { valueOf } from "../lib/load";
import { openRow } from "../verdict/rows";
import { graphNames, showGraph, slug, task } from "../workbench/session";
import type { Command } from "./command";
import { focusPane } from "./frame";

const otherTasks = signal<readonly TaskRow[] | null>(null);

/** Asked for when the palette opens for the first time. A palette without them still has everything of this page. */
export function findPlaces(): void {
  if (otherTasks.value !== null) return;
  otherTasks.value = [];
  api.tasks().then(({ tasks }) => (otherTasks.value = tasks), () => (otherTasks.value = null));
  void loadSearches();
}

export function places(): Command[] {
  const tasks = (otherTasks.value ?? []).filter((one) => one.slug !== slug.value);
  const graphs = valueOf(task.value)?.graphs ?? [];
  const now = drawing.value;
  return [
    { id: "go:catalogue", title: "Go to the catalogue", group: "Go to", run: () => location.assign("/") },
    { id: "go:slower", title: "Go to the graphs that get slower under the compiler", group: "Go to", run: () => location.assign("/slower/") },
    { id: "go:boards", title: "Go to the leaderboard", group: "Go to", run: () => location.assign("/boards/") },
    { id: "go:batches", title: "Go to batches: the drafter or a model over many tasks", group: "Go to", run: () => location.assign("/batches/") },
    { id: "go:attempts", title: "Go to what models have tried for you", group: "Go to", run: () => location.assign("/attempts/") },
    { id: "go:authors", title: "Go to what iteration brings you", group: "Go to", run: () => location.assign("/authors/") },
    ...searches.value.map((one): Command => ({ id: `search:${one.id}`, title: `Saved search: ${one.name}`, group: "Catalogue", run: () => location.assign(`/${one.address}`) })),
    ...tasks.map((one): Command => ({ id: `task:${one.slug}`, title: `Go to task ${one.title}`, group: "Go to", run: () => location.assign(`/tasks/${encodeURIComponent(one.slug)}/`) })),
    ...graphNames.value.map((name): Command => ({ id: `result:${name}`, title: `Go to the result of ${name}`, group: "Results", run: () => showResult(name) })),
    ...graphs.map((one): Command => ({ id: `graph-page:${one.name}`, title: `Open the page of graph ${one.name}`, group: "Go to", run: () => location.assign(`/graphs/${one.identity}/`) })),
    ...(now.status === "ready" ? now.value.nodes : []).map((node): Command => ({ id: `node:${node.name}`, title: `Go to node ${node.name}  ${node.target}`, group: "Graph", run: () => showNode(node.name) })),
  ];
}

function showResult(graph: string): void {
  showGraph(graph);
  openRow(graph);
  focusPane("verdict");
}

function showNode(name: string): void {
  select([name]);
  focusPane("graph");
  tell("revealNode", { node: name });
}
