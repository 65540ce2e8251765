/** Small hand-made graphs for tests. */

import type { GraphEdge, GraphJson, GraphNode } from "../graph/types";

export function node(name: string, over: Partial<GraphNode> = {}): GraphNode {
  return {
    name, op: "call_function", target: "torch.sum", label: "sum", class: "reduction", code: `${name} = torch.sum(x)`, args: [],
    span: null, shape: [2, 3], dtype: "float32", x: 0, y: 0, w: 60, h: 24, badges: [], ...over,
  };
}

function edge(source: string, target: string, points: [number, number][], stub = false): GraphEdge {
  return { source, target, points, stub, shape: [2, 3], dtype: "float32" };
}

/** top → left, right → bottom, and one long edge top → bottom drawn as stubs. */
export function diamond(): GraphJson {
  return {
    nodes: [
      node("top", { x: 80, y: 0 }), node("left", { x: 0, y: 100 }),
      node("right", { x: 160, y: 100 }), node("bottom", { x: 80, y: 200 }),
    ],
    edges: [
      edge("top", "left", [[110, 24], [30, 100]]), edge("top", "right", [[110, 24], [190, 100]]),
      edge("left", "bottom", [[30, 124], [110, 200]]), edge("right", "bottom", [[190, 124], [110, 200]]),
      edge("top", "bottom", [[110, 24], [110, 200]], true),
    ],
    inputs: [], outputs: ["bottom"], width: 220, height: 224,
  };
}
