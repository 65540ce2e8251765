/** A graph prepared for drawing: bounds of everything once, then culling and hit tests without allocation to speak of. */

import { Grid } from "./grid";
import type { GraphEdge, GraphJson, GraphNode } from "./types";
import type { Rect } from "./viewport";
import { overlaps } from "./viewport";

export interface SceneEdge {
  edge: GraphEdge;
  bounds: Rect;
  /** The two ends of a stub; none for an edge that is drawn through. */
  ends: StubEnd[];
}

export interface Scene {
  nodes: GraphNode[];
  byName: Map<string, GraphNode>;
  edges: SceneEdge[];
  /** Around every node, badge and edge, in world units. */
  bounds: Rect;
  nodeGrid: Grid<GraphNode>;
  edgeGrid: Grid<SceneEdge>;
}

/** A stub is drawn as a short line out of its node with the other end's name. */
export const STUB_LENGTH = 14;
export const STUB_LABEL_WIDTH = 96;

const scenes = new WeakMap<GraphJson, Scene>();

/** The scene of a graph, made once. */
export function sceneOf(graph: GraphJson): Scene {
  let scene = scenes.get(graph);
  if (scene === undefined) scenes.set(graph, (scene = buildScene(graph)));
  return scene;
}

export function buildScene(graph: GraphJson): Scene {
  const byName = new Map(graph.nodes.map((node) => [node.name, node]));
  const edges = graph.edges.map((edge) => ({ edge, bounds: edgeBounds(edge), ends: edge.stub ? stubEnds(byName, edge) : [] }));
  const boxes: Rect[] = [...graph.nodes, ...edges.map((edge) => edge.bounds)];
  return {
    nodes: graph.nodes, byName, edges, bounds: union(boxes),
    nodeGrid: new Grid(graph.nodes, (node) => [node]),
    edgeGrid: new Grid(edges, ({ bounds, ends }) => (ends.length > 0 ? ends.map((end) => end.label) : [bounds])),
  };
}

export function union(boxes: readonly Rect[]): Rect {
  if (boxes.length === 0) return { x: 0, y: 0, w: 0, h: 0 };
  let left = Infinity, top = Infinity, right = -Infinity, bottom = -Infinity;
  for (const box of boxes) {
    left = Math.min(left, box.x);
    top = Math.min(top, box.y);
    right = Math.max(right, box.x + box.w);
    bottom = Math.max(bottom, box.y + box.h);
  }
  return { x: left, y: top, w: right - left, h: bottom - top };
}

function edgeBounds(edge: GraphEdge): Rect {
  return union(edge.points.map(([x, y]) => ({ x, y, w: 0, h: 0 })));
}

export function visibleNodes(scene: Scene, area: Rect): GraphNode[] {
  return scene.nodeGrid.near(area).filter((node) => overlaps(node, area));
}

/** Names of the nodes that a rectangle touches, in drawing order. */
export function nodesIn(scene: Scene, area: Rect): string[] {
  return visibleNodes(scene, area).map((node) => node.name);
}

export function visibleEdges(scene: Scene, area: Rect): SceneEdge[] {
  return scene.edgeGrid.near(area).filter(({ bounds, ends }) => (ends.length > 0 ? ends.some((end) => overlaps(end.label, area)) : overlaps(bounds, area)));
}

export function nodeAt(scene: Scene, x: number, y: number, slack = 0): GraphNode | null {
  return visibleNodes(scene, { x: x - slack, y: y - slack, w: 2 * slack, h: 2 * slack }).at(-1) ?? null;
}

export interface StubEnd {
  /** Where the short line starts at its node, and where it ends. */
  from: [number, number];
  to: [number, number];
  label: Rect;
  /** Name of the node a click on this stub jumps to. */
  jump: string;
}

/** Both halves of a long edge: one under its producer, one above its consumer. */
export function stubEnds(byName: ReadonlyMap<string, GraphNode>, edge: GraphEdge): StubEnd[] {
  const ends: StubEnd[] = [];
  const source = byName.get(edge.source);
  const target = byName.get(edge.target);
  if (source) {
    const x = source.x + source.w - 10;
    const y = source.y + source.h;
    ends.push({ from: [x, y], to: [x, y + STUB_LENGTH], label: { x: x + 4, y: y + 2, w: STUB_LABEL_WIDTH, h: STUB_LENGTH }, jump: edge.target });
  }
  if (target) {
    const x = target.x + target.w - 10;
    const y = target.y;
    ends.push({ from: [x, y], to: [x, y - STUB_LENGTH], label: { x: x + 4, y: y - STUB_LENGTH - 2, w: STUB_LABEL_WIDTH, h: STUB_LENGTH }, jump: edge.source });
  }
  return ends;
}

/** The node a click at this world point jumps to, when it falls on the label of a stub. */
export function stubAt(scene: Scene, x: number, y: number): string | null {
  const point = { x, y, w: 0, h: 0 };
  for (const { ends } of scene.edgeGrid.near(point)) for (const end of ends) if (overlaps(end.label, point)) return end.jump;
  return null;
}

/** The middle of a polyline by length, where an edge's label stands; null for fewer than two points. */
export function midpoint(points: readonly [number, number][]): [number, number] | null {
  if (points.length < 2) return null;
  const lengths: number[] = [];
  let total = 0;
  for (let index = 1; index < points.length; index++) {
    const [ax, ay] = points[index - 1]!;
    const [bx, by] = points[index]!;
    lengths.push(Math.hypot(bx - ax, by - ay));
    total += lengths.at(-1)!;
  }
  let rest = total / 2;
  for (let index = 0; index < lengths.length; index++) {
    const length = lengths[index]!;
    if (rest <= length && length > 0) {
      const [ax, ay] = points[index]!;
      const [bx, by] = points[index + 1]!;
      const part = rest / length;
      return [ax + (bx - ax) * part, ay + (by - ay) * part];
    }
    rest -= length;
  }
  return points.at(-1)!;
}
