/**
 * Makes room in the server's layout for what this page writes on a node: its name, and one row for each input.
 * The order and the alignment of the layout stay; rows move down and columns apart by as little as needed. Pure.
 */

import { inputName, tensor } from "../format";
import type { GraphEdge, GraphJson, GraphNode } from "./types";

export const LABEL_ROW = 28;
export const BADGE_ROW = 15;
export const BADGE_ROWS = 5;
export const NAME_LENGTH = 24;
const FOOT = 4;
const MAX_WIDTH = 230;
const SIDE_GAP = 16;
/** Widths of characters of the two sizes of text on a node; estimates that are a little too large. */
const LABEL_CHARACTER = 9;
const SMALL_CHARACTER = 6.1;

interface Size {
  w: number;
  h: number;
}

export function sizeOf(node: GraphNode): Size {
  const rows = Math.min(node.badges.length, BADGE_ROWS);
  const label = node.label.length * LABEL_CHARACTER + (node.name === node.label ? 0 : Math.min(node.name.length, NAME_LENGTH) * SMALL_CHARACTER + 12) + 24;
  const badges = node.badges.map((badge) => (Math.min(inputName(badge.name).length, NAME_LENGTH) + 1 + tensor(badge.shape, badge.dtype).length) * SMALL_CHARACTER + 30);
  return {
    w: Math.max(node.w, Math.min(MAX_WIDTH, Math.max(label, ...badges.slice(0, BADGE_ROWS)))),
    h: Math.max(node.h, rows === 0 ? node.h : LABEL_ROW + rows * BADGE_ROW + FOOT),
  };
}

/** `siblings`: other drawings of the graph, before or after passes; with the same ones, what is in both stays put. */
export function makeRoom<Graph extends GraphJson>(graph: Graph, siblings: readonly GraphJson[] = []): Graph {
  if (graph.nodes.length === 0) return graph;
  const sizes = new Map(graph.nodes.map((node) => [node.name, sizeOf(node)]));
  const all = siblings.includes(graph) ? siblings : [graph, ...siblings];
  const spaced = all.map((one) => ({ nodes: one.nodes, sizes: one === graph ? sizes : new Map(one.nodes.map((node) => [node.name, sizeOf(node)])) }));
  const stretch = Math.max(...spaced.map((one) => columnStretch(one.nodes, one.sizes)));
  const lower = rowShift(spaced.flatMap(({ nodes, sizes: of }) => nodes.map((node) => [node.y, of.get(node.name)!.h - node.h] as const)));
  const nodes = graph.nodes.map((node): GraphNode => {
    const size = sizes.get(node.name)!;
    return { ...node, ...size, x: (node.x + node.w / 2) * stretch - size.w / 2, y: lower(node.y) };
  });
  const placed = new Map(nodes.map((node) => [node.name, node]));
  const edges = graph.edges.map((edge) => moveEdge(edge, placed, stretch, lower));
  const right = nodes.reduce((most, node) => Math.max(most, node.x + node.w), -Infinity);
  const bottom = nodes.reduce((most, node) => Math.max(most, node.y + node.h), -Infinity);
  return { ...graph, nodes, edges, width: right, height: bottom };
}

/** The factor by which columns move apart so that neighbours of one row do not touch; 1 when they do not anyway. */
function columnStretch(nodes: readonly GraphNode[], sizes: ReadonlyMap<string, Size>): number {
  const rows = new Map<number, GraphNode[]>();
  for (const node of nodes) {
    const row = rows.get(node.y);
    if (row === undefined) rows.set(node.y, [node]);
    else row.push(node);
  }
  let stretch = 1;
  for (const row of rows.values()) {
    row.sort((a, b) => a.x - b.x);
    for (let index = 1; index < row.length; index++) {
      const [left, right] = [row[index - 1]!, row[index]!];
      const between = right.x + right.w / 2 - (left.x + left.w / 2);
      const needed = (sizes.get(left.name)!.w + sizes.get(right.name)!.w) / 2 + SIDE_GAP;
      if (between > 0) stretch = Math.max(stretch, needed / between);
    }
  }
  return Math.min(stretch, 4);
}

/** Where a height of the old drawing lies in the new one: below every row that grew, by as much as it grew. */
function rowShift(grown: readonly (readonly [y: number, by: number])[]): (y: number) => number {
  const growth = new Map<number, number>();
  for (const [y, by] of grown) growth.set(y, Math.max(growth.get(y) ?? 0, by));
  const tops = [...growth.keys()].sort((a, b) => a - b);
  const before = [0];
  for (const top of tops) before.push(before.at(-1)! + growth.get(top)!);
  return (y) => {
    let low = 0;
    let high = tops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tops[middle]! < y) low = middle + 1;
      else high = middle;
    }
    return y + before[low]!;
  };
}

function moveEdge(edge: GraphEdge, nodes: ReadonlyMap<string, GraphNode>, stretch: number, lower: (y: number) => number): GraphEdge {
  const source = nodes.get(edge.source);
  const target = nodes.get(edge.target);
  const points = edge.points.map(([x, y]): [number, number] => [x * stretch, lower(y)]);
  if (points.length >= 2 && source !== undefined && target !== undefined && !edge.stub) {
    points[0] = [source.x + source.w / 2, source.y + source.h];
    points[points.length - 1] = [target.x + target.w / 2, target.y];
  }
  return { ...edge, points };
}
