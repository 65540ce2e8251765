/** What a graph is made of, in numbers. Pure. */

import { shortDtype } from "../format";
import type { Badge, GraphJson, OperatorClass } from "../graph/types";
import { OPERATOR_CLASSES, operatorClass } from "../graph/types";

/** Bytes of one element, by short dtype. */
const ELEMENT_BYTES: Record<string, number> = {
  f64: 8, f32: 4, f16: 2, bf16: 2, f8e4m3: 1, f8e5m2: 1, i64: 8, i32: 4, i16: 2, i8: 1, u8: 1, bool: 1, c64: 8, c128: 16,
};

export interface ClassCount {
  class: OperatorClass;
  count: number;
  /** Labels with how often each occurs, the most frequent first. */
  labels: [string, number][];
}

/** Nodes by operator class in the order of the legend; what no operator computes (attributes, the output) is left out. */
export function byClass(graph: Pick<GraphJson, "nodes">): ClassCount[] {
  const found = new Map<OperatorClass, Map<string, number>>();
  for (const node of graph.nodes) {
    if (!node.op.startsWith("call_")) continue;
    const kind = operatorClass(node.class);
    const labels = found.get(kind) ?? new Map<string, number>();
    found.set(kind, labels.set(node.label, (labels.get(node.label) ?? 0) + 1));
  }
  return OPERATOR_CLASSES.flatMap((kind) => {
    const labels = [...(found.get(kind) ?? [])].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
    return labels.length === 0 ? [] : [{ class: kind, count: labels.reduce((sum, [, count]) => sum + count, 0), labels }];
  });
}

/** How many values have each dtype, inputs and results; the most frequent first. */
export function byDtype(graph: Pick<GraphJson, "nodes" | "inputs">): [string, number][] {
  const found = new Map<string, number>();
  const values: readonly { dtype: string | null }[] = [...graph.inputs, ...graph.nodes.filter((node) => node.op !== "output")];
  for (const { dtype } of values) if (dtype !== null) found.set(shortDtype(dtype), (found.get(shortDtype(dtype)) ?? 0) + 1);
  return [...found].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
}

export interface Amount {
  count: number;
  elements: number;
  /** null: of some tensor the shape or the size of an element is not known. */
  bytes: number | null;
}

export function amount(values: readonly Pick<Badge, "shape" | "dtype">[]): Amount {
  let elements = 0;
  let bytes: number | null = 0;
  for (const { shape, dtype } of values) {
    const size = ELEMENT_BYTES[shortDtype(dtype)];
    const own = shape === null ? null : shape.reduce((product, extent) => product * extent, 1);
    elements += own ?? 0;
    bytes = bytes === null || own === null || size === undefined ? null : bytes + own * size;
  }
  return { count: values.length, elements, bytes };
}

/** Whether an input's name says that it is a weight of the captured model. */
export function isParameter(name: string): boolean {
  return /_(parameters|buffers)_/.test(name);
}

/** The graph's results with their shapes. */
export function outputsOf(graph: Pick<GraphJson, "nodes" | "outputs" | "inputs">): Badge[] {
  const known = new Map([...graph.inputs, ...graph.nodes].map((value) => [value.name, value] as const));
  return graph.outputs.map((name) => ({ name, shape: known.get(name)?.shape ?? null, dtype: known.get(name)?.dtype ?? null }));
}
