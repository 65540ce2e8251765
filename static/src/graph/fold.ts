/** Draws closed blocks as one box each and moves what is below them up. Pure. */

import type { Block } from "./blocks";
import type { GraphEdge, GraphJson, GraphNode } from "./types";
import type { Rect } from "./viewport";

export const BLOCK = "block";
const WIDTH = 216;
const HEIGHT = 46;
const GAP = 34;
/** An edge that would be longer than this is drawn as stubs. */
const LONGEST = 560;

/** A stretch of the drawing that is put together anew: from its old top and bottom to its new ones. */
interface Stretch {
  top: number;
  bottom: number;
  newTop: number;
  newBottom: number;
}

export function fold<Graph extends GraphJson>(graph: Graph, closed: readonly Block[]): Graph {
  if (closed.length === 0) return graph;
  const byName = new Map(graph.nodes.map((node) => [node.name, node]));
  const boxes = closed.map((block) => boxOf(block, byName));
  const inside = new Map<string, string>();
  for (const block of closed) for (const name of block.nodes) inside.set(name, block.name);
  const outside = graph.nodes.filter((node) => !inside.has(node.name));

  const { placed, shift, moved } = squeeze(boxes, outside);
  const nodes = [...placed].sort((a, b) => a.y - b.y || a.x - b.x);
  const drawn = new Map(nodes.map((node) => [node.name, node]));
  const edges = new Map<string, GraphEdge>();
  for (const edge of graph.edges) {
    const source = inside.get(edge.source) ?? edge.source;
    const target = inside.get(edge.target) ?? edge.target;
    const key = `${source} ${target}`;
    if (source === target || edges.has(key)) continue;
    const same = source === edge.source && target === edge.target && !moved.has(source) && !moved.has(target) && sameShift(edge, shift);
    edges.set(key, same ? { ...edge, points: edge.points.map(([x, y]) => [x, shift(y)]) } : straight({ ...edge, source, target }, drawn));
  }
  const right = nodes.reduce((most, node) => Math.max(most, node.x + node.w), 0);
  const bottom = nodes.reduce((most, node) => Math.max(most, node.y + node.h), 0);
  return { ...graph, nodes, edges: [...edges.values()], outputs: graph.outputs.map((name) => inside.get(name) ?? name), width: right, height: bottom };
}

/** The block as a node where its own nodes were. */
function boxOf(block: Block, byName: ReadonlyMap<string, GraphNode>): { node: GraphNode; area: Rect } {
  const members = block.nodes.flatMap((name) => byName.get(name) ?? []);
  const left = Math.min(...members.map((node) => node.x));
  const top = Math.min(...members.map((node) => node.y));
  const area = { x: left, y: top, w: Math.max(...members.map((node) => node.x + node.w)) - left, h: Math.max(...members.map((node) => node.y + node.h)) - top };
  const last = members.at(-1)!;
  const kinds = new Map<string, number>();
  for (const node of members) kinds.set(node.class, (kinds.get(node.class) ?? 0) + 1);
  const kind = ["matmul", "normalisation", "reduction"].find((name) => kinds.has(name)) ?? [...kinds].sort((a, b) => b[1] - a[1])[0]![0];
  const node: GraphNode = {
    name: block.name, op: BLOCK, target: `${members.length} nodes`, label: `▸ ${block.name} of ${block.of}`, class: kind, code: "", args: [], span: null,
    shape: last.shape, dtype: last.dtype, x: area.x + area.w / 2 - WIDTH / 2, y: top, w: WIDTH, h: HEIGHT,
    badges: [{ name: block.summary, shape: null, dtype: null }],
  };
  return { node, area };
}

function squeeze(boxes: readonly { node: GraphNode; area: Rect }[], outside: readonly GraphNode[]): { placed: GraphNode[]; shift: (y: number) => number; moved: Set<string> } {
  const stretches: Stretch[] = [];
  for (const { area } of [...boxes].sort((a, b) => a.area.y - b.area.y)) {
    const last = stretches.at(-1);
    if (last !== undefined && area.y <= last.bottom) last.bottom = Math.max(last.bottom, area.y + area.h);
    else stretches.push({ top: area.y, bottom: area.y + area.h, newTop: 0, newBottom: 0 });
  }
  const within = (y: number): Stretch | undefined => {
    let [low, high] = [0, stretches.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const stretch = stretches[middle]!;
      if (y < stretch.top) high = middle - 1;
      else if (y > stretch.bottom) low = middle + 1;
      else return stretch;
    }
    return undefined;
  };
  const members = new Map<Stretch, { node: GraphNode; area: Rect }[]>();
  const moved = new Set<string>();
  const free: GraphNode[] = [];
  const join = (stretch: Stretch, item: { node: GraphNode; area: Rect }): void => {
    const list = members.get(stretch);
    if (list === undefined) members.set(stretch, [item]);
    else list.push(item);
    moved.add(item.node.name);
  };
  for (const box of boxes) join(within(box.area.y)!, box);
  for (const node of outside) {
    const stretch = within(node.y);
    if (stretch === undefined) free.push(node);
    else join(stretch, { node, area: node });
  }

  const placed: GraphNode[] = [];
  let saved = 0;
  for (const stretch of stretches) {
    stretch.newTop = stretch.top - saved;
    stretch.newBottom = stack(members.get(stretch)!, stretch.newTop, placed);
    saved = stretch.bottom - stretch.newBottom;
  }
  const shift = (y: number): number => {
    let [low, high] = [0, stretches.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (stretches[middle]!.bottom < y) low = middle + 1;
      else high = middle;
    }
    const above = stretches[low - 1];
    return above === undefined ? y : y - (above.bottom - above.newBottom);
  };
  for (const node of free) placed.push({ ...node, y: shift(node.y) });
  return { placed, shift, moved };
}

/** Puts the parts of a stretch below each other, those that began at one height beside each other; returns the bottom. */
function stack(items: readonly { node: GraphNode; area: Rect }[], top: number, placed: GraphNode[]): number {
  let y = top;
  let [rowTop, rowHeight] = [-Infinity, 0];
  let first = true;
  for (const { node, area } of [...items].sort((a, b) => a.area.y - b.area.y || a.node.x - b.node.x)) {
    if (area.y !== rowTop) {
      if (!first) y += rowHeight + GAP;
      [rowTop, rowHeight, first] = [area.y, 0, false];
    }
    rowHeight = Math.max(rowHeight, node.h);
    placed.push({ ...node, y });
  }
  return y + rowHeight;
}

/** Whether nothing was squeezed between the ends of an edge. */
function sameShift(edge: GraphEdge, shift: (y: number) => number): boolean {
  const [first, last] = [edge.points[0], edge.points.at(-1)];
  return first === undefined || last === undefined || edge.stub || Math.abs(first[1] - shift(first[1]) - (last[1] - shift(last[1]))) < 0.5;
}

function straight(edge: GraphEdge, nodes: ReadonlyMap<string, GraphNode>): GraphEdge {
  const [source, target] = [nodes.get(edge.source), nodes.get(edge.target)];
  if (source === undefined || target === undefined) return edge;
  const from: [number, number] = [source.x + source.w / 2, source.y + source.h];
  const to: [number, number] = [target.x + target.w / 2, target.y];
  const down = to[1] - from[1];
  return { ...edge, points: [from, to], stub: down <= 0 || down > LONGEST };
}
