/** What is compared, as the address says, and everything that is loaded for it. */

import { computed, effect, signal } from "@preact/signals";
import { api, call } from "../api";
import type { GraphJson } from "../graph/types";
import type { Load } from "../lib/load";
import { failed, LOADING, ready, valueOf } from "../lib/load";
import { openPins, pinned } from "../run/pins";
import type { GraphView, RunView } from "../run/view";
import type { Comparison, Difference, Entry } from "./types";

export const METHODS = ["e2e", "gpu", "graph", "kernel"] as const;

export const keys = signal<readonly string[]>([]);
export const method = signal<string>("e2e");
/** The graph of which drawings and kernels are shown. */
export const graph = signal<string | null>(null);
export const comparison = signal<Load<Comparison>>(LOADING);
export const differences = signal<Load<Difference[]>>(LOADING);
export const drawings = signal<Readonly<Record<string, Load<GraphJson & { rewritten: boolean }>>>>({});

export const entries = computed<readonly Entry[]>(() => valueOf(comparison.value)?.entries ?? []);
export const query = computed(() => new URLSearchParams(keys.value.map((key) => ["of", key])).toString());

/** Graphs of all sides, in the order of the first that has them. */
export const graphNames = computed(() => [...new Set(entries.value.flatMap((one) => viewOf(one)?.graphs.map((each) => each.name) ?? []))]);
/** The graph that is shown: the chosen one, or the first. */
export const shownGraph = computed(() => (graph.value !== null && graphNames.value.includes(graph.value) ? graph.value : (graphNames.value[0] ?? null)));

export function viewOf(one: Entry): RunView | null {
  return one.run === null ? null : valueOf(pinned.value[one.run]);
}

export function graphOf(one: Entry, name: string): GraphView | null {
  return viewOf(one)?.graphs.find((each) => each.name === name) ?? null;
}

export function open(search: string): void {
  const given = new URLSearchParams(search);
  keys.value = given.getAll("of");
  graph.value = given.get("graph");
  const wanted = given.get("method");
  if (wanted !== null && (METHODS as readonly string[]).includes(wanted)) method.value = wanted;
  void load();
  effect(() => {
    const more = new URLSearchParams(query.value);
    if (method.value !== "e2e") more.set("method", method.value);
    if (graph.value !== null) more.set("graph", graph.value);
    history.replaceState(null, "", `${location.pathname}?${more}`);
  });
  effect(() => void loadDifferences(query.value, method.value));
  effect(() => {
    const name = shownGraph.value;
    if (name !== null) for (const one of entries.value) void loadDrawing(one, name);
  });
}

export async function load(): Promise<void> {
  comparison.value = LOADING;
  try {
    const found = await call<Comparison>("GET", `/api/compare?${query.value}`);
    comparison.value = ready(found);
    openPins(found.entries.flatMap((one) => (one.run === null ? [] : [one.run])));
  } catch (problem) {
    comparison.value = failed(problem);
  }
}

let asked = 0;

async function loadDifferences(of: string, by: string): Promise<void> {
  const own = ++asked;
  differences.value = LOADING;
  try {
    const found = await call<Difference[]>("GET", `/api/compare/differences?${of}&method=${by}`);
    if (own === asked) differences.value = ready(found);
  } catch (problem) {
    if (own === asked) differences.value = failed(problem);
  }
}

export const drawingKey = (one: Entry, name: string): string => `${one.key}/${name}`;

/** After the passes; the graph as it was where none has changed it. */
async function loadDrawing(one: Entry, name: string): Promise<void> {
  const key = drawingKey(one, name);
  const slug = valueOf(comparison.peek())?.task?.slug;
  const view = graphOf(one, name);
  if (one.run === null || slug === undefined || view === null || drawings.peek()[key] !== undefined) return;
  drawings.value = { ...drawings.peek(), [key]: LOADING };
  let found: Load<GraphJson & { rewritten: boolean }>;
  try {
    const drawn = view.rewritten ? await api.rewritten(one.run, name) : await api.graph(slug, name);
    found = ready({ ...drawn, rewritten: view.rewritten });
  } catch (problem) {
    found = failed(problem);
  }
  drawings.value = { ...drawings.peek(), [key]: found };
}

/** Leaves one out, or puts it first: then the others are held against it. */
export function leaveOut(key: string): void {
  choose(keys.value.filter((one) => one !== key));
}

export function putFirst(key: string): void {
  choose([key, ...keys.value.filter((one) => one !== key)]);
}

function choose(next: readonly string[]): void {
  keys.value = next;
  void load();
}

/** The server is back: what could not be loaded is asked for again. */
export function recover(): void {
  if (comparison.value.status === "failed") void load();
}
