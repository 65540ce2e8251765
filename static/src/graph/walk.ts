/** Walking a graph by keyboard: down to a consumer, up to a producer, sideways among neighbours. Pure. */

import type { GraphJson, GraphNode } from "./types";

export type Direction = "up" | "down" | "left" | "right";

/**
 * The node one step from `from`; null when there is none. Without a selection (`from` null) any arrow starts at the top.
 * Up and down follow edges; among several, the one horizontally nearest. Left and right go to the nearest node of about the same height.
 */
export function step(graph: GraphJson, from: string | null, direction: Direction): string | null {
  const nodes = new Map(graph.nodes.map((node) => [node.name, node]));
  const here = from === null ? undefined : nodes.get(from);
  if (!here) return topmost(graph.nodes)?.name ?? null;
  if (direction === "up" || direction === "down") {
    const names = graph.edges.flatMap((edge) => {
      if (direction === "down") return edge.source === here.name ? [edge.target] : [];
      return edge.target === here.name ? [edge.source] : [];
    });
    const candidates = names.flatMap((name) => nodes.get(name) ?? []);
    return nearest(here, candidates, (node) => Math.abs(centre(node).x - centre(here).x))?.name ?? null;
  }
  const sign = direction === "right" ? 1 : -1;
  const beside = graph.nodes.filter((node) => {
    const dx = (centre(node).x - centre(here).x) * sign;
    return node !== here && dx > 0 && Math.abs(centre(node).y - centre(here).y) <= Math.max(here.h, node.h);
  });
  return nearest(here, beside, (node) => Math.abs(centre(node).x - centre(here).x))?.name ?? null;
}

/** The node that follows in drawing order (top to bottom, then left to right); wraps around. */
export function next(graph: GraphJson, from: string | null, by: 1 | -1): string | null {
  const order = [...graph.nodes].sort((a, b) => a.y - b.y || a.x - b.x);
  if (order.length === 0) return null;
  const at = order.findIndex((node) => node.name === from);
  const index = at < 0 ? (by > 0 ? 0 : order.length - 1) : (at + by + order.length) % order.length;
  return order[index]!.name;
}

/** Names whose name, label, target or code holds every word of the query, in drawing order. */
export function search(graph: GraphJson, query: string): string[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return [];
  return [...graph.nodes]
    .sort((a, b) => a.y - b.y || a.x - b.x)
    .filter((node) => {
      const text = `${node.name} ${node.label} ${node.target} ${node.class} ${node.code}`.toLowerCase();
      return wanted.every((word) => text.includes(word));
    })
    .map((node) => node.name);
}

function centre(node: GraphNode): { x: number; y: number } {
  return { x: node.x + node.w / 2, y: node.y + node.h / 2 };
}

function topmost(nodes: readonly GraphNode[]): GraphNode | undefined {
  return [...nodes].sort((a, b) => a.y - b.y || a.x - b.x)[0];
}

function nearest(from: GraphNode, nodes: readonly GraphNode[], distance: (node: GraphNode) => number): GraphNode | undefined {
  let best: GraphNode | undefined;
  for (const node of nodes) if (node !== from && (!best || distance(node) < distance(best))) best = node;
  return best;
}
