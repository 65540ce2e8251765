/** What is looked at: the task, one of its graphs, before or after the rewrite, and the one selected node. */

import { batch, computed, signal } from "@preact/signals";
import type { RewrittenGraph, SourceGraph, Task } from "../api";
import { api } from "../api";
import type { Load } from "../lib/load";
import { failed, LOADING, ready, valueOf } from "../lib/load";

export type Side = "before" | "after";

export const slug = signal("");
export const task = signal<Load<Task>>(LOADING);
export const graphName = signal<string | null>(null);
export const side = signal<Side>("before");
/** Which of the graphs between two passes is looked at; null for the one after all passes. */
export const step = signal<number | null>(null);
export const selectedNode = signal<string | null>(null);

export const graphs = signal<Record<string, Load<SourceGraph>>>({});
export const rewritten = signal<Record<string, Load<RewrittenGraph>>>({});

export const graphNames = computed(() => valueOf(task.value)?.graphs.map((graph) => graph.name) ?? []);

/** Shapes are found by the evaluator after an import; ask again a few times until they are there. */
const SHAPES_AFTER_MS = [3000, 6000, 12_000, 24_000, 48_000];

export async function openTask(name: string, wanted: { graph: string | null; side: Side }): Promise<void> {
  slug.value = name;
  side.value = wanted.side;
  try {
    const value = await api.task(name);
    task.value = ready(value);
    const known = value.graphs.some((graph) => graph.name === wanted.graph);
    showGraph(known ? wanted.graph! : (value.graphs[0]?.name ?? null));
  } catch (problem) {
    task.value = failed(problem);
  }
}

export function showGraph(name: string | null): void {
  if (name === graphName.value) return;
  graphName.value = name;
  step.value = null;
  selectedNode.value = null;
  if (name !== null) void loadGraph(name);
}

/** What is selected stays so: a node that a pass left alone is the same node on both sides. */
export function showSide(value: Side, at: number | null = null): void {
  batch(() => {
    side.value = value;
    step.value = value === "after" ? at : null;
  });
}

export async function loadGraph(name: string, attempt = 0): Promise<void> {
  const known = graphs.value[name];
  if (attempt === 0 && known !== undefined && known.status !== "failed") return;
  if (attempt === 0) graphs.value = { ...graphs.value, [name]: LOADING };
  try {
    const value = await api.graph(slug.value, name);
    graphs.value = { ...graphs.value, [name]: ready(value) };
    const shapeless = value.nodes.length > 0 && value.nodes.every((node) => node.shape === null);
    const delay = SHAPES_AFTER_MS[attempt];
    if (shapeless && delay !== undefined) setTimeout(() => void loadGraph(name, attempt + 1), delay);
  } catch (problem) {
    if (attempt === 0) graphs.value = { ...graphs.value, [name]: failed(problem) };
  }
}

export function retryGraph(name: string): void {
  const { [name]: _, ...rest } = graphs.value;
  graphs.value = rest;
  void loadGraph(name);
}

export const rewrittenKey = (run: string, graph: string, at: number | null = null): string => `${run}/${graph}${at === null ? "" : `/${at}`}`;

export async function loadRewritten(run: string, graph: string, at: number | null = null): Promise<void> {
  const key = rewrittenKey(run, graph, at);
  const known = rewritten.value[key];
  if (known !== undefined && known.status !== "failed") return;
  rewritten.value = { ...rewritten.value, [key]: LOADING };
  try {
    rewritten.value = { ...rewritten.value, [key]: ready(await api.rewritten(run, graph, at)) };
  } catch (problem) {
    rewritten.value = { ...rewritten.value, [key]: failed(problem) };
  }
}
