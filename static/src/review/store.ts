/** What the page shows and what is chosen on it. The server filters and counts: there may be 20,000 items. */

import { batch, computed, signal } from "@preact/signals";
import { failed, LOADING, ready, valueOf } from "../lib/load";
import type { Load } from "../lib/load";
import type { Chosen, Filters } from "./address";
import { kept, readAddress, writeAddress } from "./address";
import { reviewApi } from "./api";
import { drafts, flush, flushAll, restore } from "./drafts";
import type { Cluster, Counts, Item, Row } from "./types";

export const chosen = signal<Chosen>(readAddress(location.search));
export const counts = signal<Load<Counts>>(LOADING);
export const rows = signal<Load<readonly Row[]>>(LOADING);
/** Where the next page of rows begins; null: all are here. */
export const following = signal<number | null>(null);
export const clusters = signal<Load<readonly Cluster[]>>(LOADING);
export const item = signal<Load<Item>>(LOADING);
/** Marked items, for what is done to many. */
export const marked = signal<ReadonlySet<number>>(new Set());
/** What is shown belongs to an earlier choice; the answer is on its way. */
export const waiting = signal(false);

const PAUSE_MS = 200;
let request = new AbortController();
let itemRequest = new AbortController();
let timer: ReturnType<typeof setTimeout> | undefined;
const ahead = new Map<string, Promise<Item>>();

/** The items that can be gone through with j and k: those of the list, or the first ones of the clusters. */
export const order = computed<readonly number[]>(() => chosen.value.view === "list" ? (valueOf(rows.value) ?? []).map((row) => row.id) : (valueOf(clusters.value) ?? []).map((one) => one.first));
export const openId = computed(() => chosen.value.item ?? order.value[0] ?? null);
export const me = computed(() => valueOf(counts.value)?.me ?? "");
export const mayReview = computed(() => valueOf(counts.value)?.may_review ?? false);

/** The cluster whose item is open, in the view of clusters. */
export const openCluster = computed<Cluster | null>(() => {
  if (chosen.value.view !== "clusters") return null;
  const all = valueOf(clusters.value) ?? [];
  const now = valueOf(item.value);
  return all.find((one) => one.first === openId.value) ?? all.find((one) => one.signature === now?.signature) ?? null;
});

export async function load(): Promise<void> {
  clearTimeout(timer);
  request.abort();
  request = new AbortController();
  ahead.clear();
  const { signal: now } = request;
  const { filters, view } = chosen.value;
  waiting.value = true;
  try {
    // The list is in sight before everything is counted.
    const counting = reviewApi.counts(filters, now).then((counted) => {
      if (!now.aborted) counts.value = ready(counted);
    });
    counting.catch(() => undefined);
    const found = await (view === "list" ? reviewApi.items(filters, 0, now) : reviewApi.clusters(filters, now));
    if (now.aborted) return;
    batch(() => {
      if ("items" in found) {
        rows.value = ready(found.items);
        following.value = found.next;
      } else clusters.value = ready(found.clusters);
    });
    await Promise.all([loadItem(), counting]);
  } catch (problem) {
    if (now.aborted) return;
    if (view === "list") rows.value = failed(problem);
    else clusters.value = failed(problem);
    if (counts.value.status !== "ready") counts.value = failed(problem);
  } finally {
    if (!now.aborted) waiting.value = false;
  }
}

let growing = false;

/** The next rows, when the end of those that are here comes into sight. */
export async function more(): Promise<void> {
  const after = following.value;
  const here = valueOf(rows.value);
  if (growing || after === null || here === null) return;
  growing = true;
  const { signal: now } = request;
  try {
    const found = await reviewApi.items(chosen.value.filters, after, now);
    batch(() => {
      rows.value = ready([...here, ...found.items]);
      following.value = found.next;
    });
  } catch {
    /* the page says that the server does not answer; scrolling on asks again */
  } finally {
    growing = false;
  }
}

export async function loadItem(): Promise<void> {
  itemRequest.abort();
  const now = (itemRequest = new AbortController()).signal;
  const id = openId.value;
  if (id === null) {
    item.value = LOADING;
    return;
  }
  if (valueOf(item.value)?.id !== id) item.value = LOADING;
  try {
    const found = await fetched(id, now);
    if (now.aborted) return;
    restore(found);
    item.value = ready(found);
    const next = neighbour(1);
    if (next !== null && next !== id) prefetch(next);
  } catch (problem) {
    if (!now.aborted) item.value = failed(problem);
  }
}

function fetched(id: number, now: AbortSignal): Promise<Item> {
  const key = `${id}${JSON.stringify(kept(chosen.value.filters))}`;
  const known = ahead.get(key);
  ahead.delete(key);
  return known ?? reviewApi.item(id, chosen.value.filters, now);
}

/** The next item is here before it is asked for. */
function prefetch(id: number): void {
  const key = `${id}${JSON.stringify(kept(chosen.value.filters))}`;
  if (ahead.has(key)) return;
  const coming = reviewApi.item(id, chosen.value.filters);
  coming.catch(() => ahead.delete(key));
  ahead.set(key, coming);
}

/** The item before or after the open one; null at the ends. */
export function neighbour(by: 1 | -1): number | null {
  const all = order.value;
  const at = all.indexOf(openId.value ?? -1);
  if (at >= 0) return all[at + by] ?? null;
  const now = valueOf(item.value);
  return (by === 1 ? now?.next : now?.previous) ?? null;
}

export function open(id: number | null): void {
  const before = openId.value;
  if (before !== null && before !== id) void leave(before);
  set({ ...chosen.value, item: id });
  void loadItem();
}

/** Whoever goes on leaves nothing unsent behind. */
async function leave(id: number): Promise<void> {
  if (Object.keys(drafts.value[id] ?? {}).length > 0) await flush(id);
}

export function go(by: 1 | -1): void {
  const id = neighbour(by);
  if (id === null) return;
  open(id);
  if (by === 1 && order.value.indexOf(id) > order.value.length - 20) void more();
}

/** Narrows or widens; `typing`: asks once it pauses. */
export function choose(filters: Filters, typing = false): void {
  const merged = { ...chosen.value.filters, ...filters };
  marked.value = new Set();
  set({ ...chosen.value, filters: merged, item: null });
  clearTimeout(timer);
  if (typing) timer = setTimeout(() => void load(), PAUSE_MS);
  else void load();
}

export function showView(view: Chosen["view"], filters: Filters = {}): void {
  if (view === chosen.value.view && Object.keys(filters).length === 0) return;
  batch(() => {
    if (view === "list") rows.value = LOADING;
    else clusters.value = LOADING;
    set({ filters: { ...chosen.value.filters, ...filters }, view, item: null });
  });
  void load();
}

export function clear(): void {
  marked.value = new Set();
  set({ ...chosen.value, filters: {}, item: null });
  void load();
}

export function mark(id: number): void {
  const next = new Set(marked.value);
  if (!next.delete(id)) next.add(id);
  marked.value = next;
}

function set(next: Chosen): void {
  chosen.value = next;
  const address = writeAddress(next);
  if (address !== location.search) history.replaceState(null, "", `${location.pathname}${address}`);
}

/** The server is back: what is typed is told it, what could not be loaded is asked for again. */
export function recover(): void {
  flushAll();
  void load();
}
