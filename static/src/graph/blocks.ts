/** Repeated blocks of a graph: the same operators in the same order, again and again, as in the layers of a model. Pure. */

import type { GraphEdge, GraphNode } from "./types";

export interface Block {
  /** Unique in the graph: "block 3", or "block B3" for the second kind of blocks. */
  name: string;
  /** Counted from 1, among those of its kind. */
  number: number;
  of: number;
  /** In the order of execution. */
  nodes: string[];
  /** What it is made of, its heaviest operators first. */
  summary: string;
}

const SHORTEST = 4;
const LONGEST = 600;
/** A block that is there only twice has to be worth it. */
const LONG = 8;
const KINDS = 8;
const LEAST_LABELS = 3;
const WEIGHT: Record<string, number> = { matmul: 0, normalisation: 1, reduction: 2, gather: 3, pointwise: 4, random: 5 };

interface Run {
  start: number;
  period: number;
  /** How many nodes from `start` on repeat with the period. */
  covered: number;
}

export function repeatedBlocks(nodes: readonly GraphNode[], edges: readonly Pick<GraphEdge, "source" | "target">[]): Block[] {
  const numbers = new Map<string, number>();
  const tokens = nodes.map((node) => {
    const word = `${node.op} ${node.target || node.label}`;
    if (!numbers.has(word)) numbers.set(word, numbers.size);
    return numbers.get(word)!;
  });
  const crossing = crossings(nodes, edges);
  const found: Block[] = [];
  const parts: [number, number][] = [[0, nodes.length]];
  for (let kind = 0; parts.length > 0 && kind < KINDS; ) {
    const [low, high] = parts.shift()!;
    const run = longestRun(tokens, low, high);
    if (run === null) continue;
    const start = run.start + bestPhase(run, crossing);
    const of = Math.floor((run.start + run.covered - start) / run.period);
    const letter = kind === 0 ? "" : String.fromCharCode(65 + kind);
    for (let index = 0; index < of; index++) {
      const members = nodes.slice(start + index * run.period, start + (index + 1) * run.period);
      found.push({ name: `block ${letter}${index + 1}`, number: index + 1, of, nodes: members.map((node) => node.name), summary: summaryOf(members) });
    }
    parts.push([low, start], [start + of * run.period, high]);
    kind++;
  }
  return found;
}

/** For each place between two nodes, how many values pass it: one that several nodes use is one. */
function crossings(nodes: readonly GraphNode[], edges: readonly Pick<GraphEdge, "source" | "target">[]): number[] {
  const at = new Map(nodes.map((node, index) => [node.name, index]));
  const change = new Array<number>(nodes.length + 1).fill(0);
  const last = new Map<number, number>();
  for (const { source, target } of edges) {
    const [from, to] = [at.get(source), at.get(target)];
    if (from !== undefined && to !== undefined) last.set(from, Math.max(last.get(from) ?? from, to));
  }
  for (const [from, to] of last) {
    change[from + 1]! += 1;
    change[to + 1]! -= 1;
  }
  let open = 0;
  return change.map((by) => (open += by));
}

/** The stretch that repeats over the most nodes, with its shortest period; null when nothing worth a block repeats. */
function longestRun(tokens: readonly number[], low: number, high: number): Run | null {
  let best: Run | null = null;
  let bestNodes = 0;
  for (let period = SHORTEST; period <= Math.min(LONGEST, (high - low) / 2); period++) {
    let length = 0;
    for (let index = low; index + period <= high; index++) {
      if (index + period < high && tokens[index] === tokens[index + period]) {
        length++;
        continue;
      }
      const repeats = Math.floor((length + period) / period);
      if (repeats >= (period >= LONG ? 2 : 3) && repeats * period > bestNodes && new Set(tokens.slice(index - length, index - length + period)).size >= LEAST_LABELS) {
        best = { start: index - length, period, covered: length + period };
        bestNodes = repeats * period;
      }
      length = 0;
    }
  }
  return best;
}

/** Where blocks begin: where the fewest values pass from one to the next, without losing more than one block. */
function bestPhase({ start, period, covered }: Run, crossing: readonly number[]): number {
  let best = 0;
  let least = Infinity;
  for (let phase = 0; phase < period && covered - phase >= 2 * period; phase++) {
    const borders = Math.floor((covered - phase) / period);
    let passing = 0;
    for (let index = 1; index < borders; index++) passing += crossing[start + phase + index * period]!;
    const mean = passing / (borders - 1);
    if (mean < least) [best, least] = [phase, mean];
  }
  return best;
}

function summaryOf(nodes: readonly GraphNode[]): string {
  const labels = new Map(nodes.map((node) => [node.label, WEIGHT[node.class] ?? 9]));
  return [...labels].sort((a, b) => a[1] - b[1]).slice(0, 3).map(([label]) => label).join(", ");
}
