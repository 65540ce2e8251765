/** Which repeated blocks of the graph in view are open, and what that means for selection, marks and search. */

import { signal } from "@preact/signals";
import { graphName } from "../workbench/session";
import type { Block } from "./blocks";
import { repeatedBlocks } from "./blocks";
import type { Mark, Marks } from "./marks";
import type { GraphJson } from "./types";

/** From so many nodes on, blocks are closed at first. */
const LARGE = 400;
const LEAST = 24;

interface Opened {
  graph: string | null;
  /** null: as the size of the graph suggests. */
  all: boolean | null;
  /** Opened, or closed, against `all`. */
  others: ReadonlySet<string>;
}

const opened = signal<Opened>({ graph: null, all: null, others: new Set() });

const known = new WeakMap<GraphJson, Block[]>();

export function blocksOf(graph: GraphJson): Block[] {
  let blocks = known.get(graph);
  if (blocks === undefined) known.set(graph, (blocks = graph.nodes.length < LEAST ? [] : repeatedBlocks(graph.nodes, graph.edges)));
  return blocks;
}

function now(): Opened {
  return opened.value.graph === graphName.value ? opened.value : { graph: graphName.value, all: null, others: new Set() };
}

export function isOpen(block: Block, graph: GraphJson): boolean {
  const { all, others } = now();
  return (all ?? graph.nodes.length < LARGE) !== others.has(block.name);
}

export function flip(block: Block): void {
  const state = now();
  const others = new Set(state.others);
  if (!others.delete(block.name)) others.add(block.name);
  opened.value = { ...state, others };
}

export function setAll(open: boolean): void {
  opened.value = { graph: graphName.value, all: open, others: new Set() };
}

/** Names as the folded drawing has them: a node in a closed block is there as its block. */
export function folded(names: Iterable<string>, inside: ReadonlyMap<string, string>): Set<string> {
  return new Set([...names].map((name) => inside.get(name) ?? name));
}

/** A closed block carries the loudest mark of its nodes, and how many there are. */
export function foldedMarks(marks: Marks, inside: ReadonlyMap<string, string>): Marks {
  if (marks.size === 0 || inside.size === 0) return marks;
  const found = new Map<string, Mark>();
  const counts = new Map<string, number>();
  for (const [name, mark] of marks) {
    const block = inside.get(name);
    if (block === undefined) {
      found.set(name, mark);
      continue;
    }
    counts.set(block, (counts.get(block) ?? 0) + 1);
    const before = found.get(block);
    if (before === undefined || (before.faint && !mark.faint)) found.set(block, mark);
  }
  for (const [block, count] of counts) found.set(block, { ...found.get(block)!, word: `${count} × ${found.get(block)!.word}` });
  return found;
}
