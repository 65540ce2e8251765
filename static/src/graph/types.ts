/** The one JSON form of a drawn graph (graphs/graph_json.py). Coordinates are CSS pixels at zoom 1, y down. */

export interface Span {
  /** 1-based lines, 0-based columns in UTF-16 units; the end is exclusive. */
  line: number;
  column: number;
  end_line: number;
  end_column: number;
}

export interface Badge {
  name: string;
  shape: number[] | null;
  dtype: string | null;
}

export interface GraphNode {
  name: string;
  op: string;
  target: string;
  label: string;
  class: string;
  code: string;
  args: [string, string][];
  span: Span | null;
  shape: number[] | null;
  dtype: string | null;
  /** In elements; absent where nobody has looked. */
  stride?: number[] | null;
  x: number;
  y: number;
  w: number;
  h: number;
  badges: Badge[];
}

export interface GraphEdge {
  source: string;
  target: string;
  points: [number, number][];
  /** Drawn as a pair of labelled stubs that jump on click, not as a line. */
  stub: boolean;
  shape: number[] | null;
  dtype: string | null;
}

export interface GraphJson {
  nodes: GraphNode[];
  edges: GraphEdge[];
  inputs: Badge[];
  outputs: string[];
  width: number;
  height: number;
}

export const OPERATOR_CLASSES = [
  "pointwise", "reduction", "normalisation", "matmul", "view", "gather", "random", "other",
] as const;
export type OperatorClass = (typeof OPERATOR_CLASSES)[number];

export const CLASS_WORDS: Record<OperatorClass, string> = {
  pointwise: "pointwise",
  reduction: "reduction",
  normalisation: "normalisation",
  matmul: "matmul, convolution",
  view: "view, movement",
  gather: "gather, index",
  random: "random",
  other: "other",
};

export function operatorClass(value: string): OperatorClass {
  return (OPERATOR_CLASSES as readonly string[]).includes(value) ? (value as OperatorClass) : "other";
}
