/**
 * The one selection: a set of nodes of the graph in view. Drawing, code, pattern and results all read it and write it.
 * `selectedNode` (workbench/session) is the one of them that the details are about; writing it alone selects that node.
 */

import { batch, effect, signal } from "@preact/signals";
import { selectedNode } from "../workbench/session";
import { drawing } from "./drawing";
import type { Reach } from "./grow";
import { grown } from "./grow";

export const selected = signal<ReadonlySet<string>>(new Set());

/** What Shrink goes back to: the selections before each growth, the newest last. */
let before: ReadonlySet<string>[] = [];

effect(() => {
  const name = selectedNode.value;
  if (name === null ? selected.peek().size > 0 : !selected.peek().has(name)) {
    before = [];
    selected.value = new Set(name === null ? [] : [name]);
  }
});

function put(names: ReadonlySet<string>, focus: string | null): void {
  batch(() => {
    selected.value = names;
    selectedNode.value = focus;
  });
}

/** Selects exactly these; the details are about `focus`, or the last of them. */
export function select(names: Iterable<string>, focus?: string): void {
  const next = new Set(names);
  before = [];
  put(next, focus ?? [...next].at(-1) ?? null);
}

/** Takes a node, or all nodes of a block, in; or out when they were in. */
export function toggle(names: string | readonly string[]): void {
  const all = typeof names === "string" ? [names] : names;
  if (all.every((name) => selected.peek().has(name))) select([...selected.peek()].filter((name) => !all.includes(name)));
  else add(all);
}

/** Takes more nodes in. */
export function add(names: readonly string[]): void {
  select([...selected.peek(), ...names], names.at(-1) ?? selectedNode.peek() ?? undefined);
}

/** Takes in what feeds the selection, or what uses it, one edge further. */
export function grow(reach: Reach): void {
  const now = drawing.peek();
  if (now.status !== "ready") return;
  const next = grown(now.value.edges, selected.peek(), reach);
  if (next.size === selected.peek().size) return;
  before.push(selected.peek());
  put(next, selectedNode.peek());
}

/** Back to before the last growth; then to the one node of the details. */
export function shrink(): void {
  const last = before.pop();
  const focus = selectedNode.peek();
  put(last ?? new Set(focus === null ? [] : [focus]), focus);
}

export function clear(): void {
  select([]);
}
