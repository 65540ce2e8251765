/** The graph of the page: what is known about it, and its drawing, which the workbench's parts read (workbench/session). */

import { effect, signal } from "@preact/signals";
import type { GraphPage, SourceGraph } from "../api";
import { api } from "../api";
import { select, selected } from "../graph/selection";
import type { Load } from "../lib/load";
import { failed, LOADING, ready } from "../lib/load";
import { graphName, graphs } from "../workbench/session";

export const facts = signal<Load<GraphPage>>(LOADING);
export const identity = signal("");

/** The evaluator finds shapes some time after an import. */
const SHAPES_AFTER_MS = [3000, 6000, 12_000, 24_000];
/** A selection that does not fit into an address is not carried. */
const MOST_NODES = 40;

export async function openGraph(key: string): Promise<void> {
  identity.value = key;
  graphName.value = key;
  await Promise.all([loadFacts(), loadDrawing()]);
  const wanted = new URLSearchParams(location.search).getAll("node").slice(0, MOST_NODES);
  if (wanted.length > 0) select(wanted);
  effect(() => {
    const query = new URLSearchParams(selected.value.size > MOST_NODES ? [] : [...selected.value].map((name) => ["node", name])).toString();
    history.replaceState(null, "", `${location.pathname}${query === "" ? "" : `?${query}`}`);
  });
}

export async function loadFacts(): Promise<void> {
  facts.value = LOADING;
  try {
    facts.value = ready(await api.graphPage(identity.value));
  } catch (problem) {
    facts.value = failed(problem);
  }
}

export async function loadDrawing(attempt = 0): Promise<void> {
  const put = (value: Load<SourceGraph>): void => void (graphs.value = { [identity.value]: value });
  if (attempt === 0) put(LOADING);
  try {
    const drawn = await api.graphDrawing(identity.value);
    put(ready(drawn));
    const delay = SHAPES_AFTER_MS[attempt];
    if (delay !== undefined && drawn.nodes.length > 0 && drawn.nodes.every((node) => node.shape === null)) setTimeout(() => void loadDrawing(attempt + 1), delay);
  } catch (problem) {
    if (attempt === 0) put(failed(problem));
  }
}

/** The server is back: what could not be loaded is asked for again. */
export function recover(): void {
  if (facts.value.status === "failed") void loadFacts();
  if (graphs.value[identity.value]?.status === "failed") void loadDrawing();
}
