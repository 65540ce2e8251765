import { describe, expect, it } from "vitest";
import type { GraphNode } from "../graph/types";
import { amount, byClass, byDtype, isParameter, outputsOf } from "./statistics";

const node = (name: string, label: string, kind: string, dtype: string | null = "float32", op = "call_function"): GraphNode => ({
  name, op, target: label, label, class: kind, code: "", args: [], span: null, shape: [2, 3], dtype, x: 0, y: 0, w: 1, h: 1, badges: [],
});
const graph = {
  nodes: [node("a", "+", "pointwise"), node("b", "relu", "pointwise", "float16"), node("c", "+", "pointwise"), node("d", "sum", "reduction", null), node("output", "output", "other", null, "output")],
  inputs: [{ name: "x", shape: [2, 3], dtype: "float32" }],
  outputs: ["c", "x"],
};

it("counts nodes by class in the legend's order, without the output", () => {
  expect(byClass(graph)).toEqual([
    { class: "pointwise", count: 3, labels: [["+", 2], ["relu", 1]] },
    { class: "reduction", count: 1, labels: [["sum", 1]] },
  ]);
});

it("counts values by dtype where it is known", () => expect(byDtype(graph)).toEqual([["f32", 3], ["f16", 1]]));

describe("amounts", () => {
  it("adds elements and bytes up", () => {
    expect(amount([{ shape: [2, 3], dtype: "float32" }, { shape: [5], dtype: "bfloat16" }, { shape: [], dtype: "int64" }])).toEqual({ count: 3, elements: 12, bytes: 24 + 10 + 8 });
    expect(amount([])).toEqual({ count: 0, elements: 0, bytes: 0 });
  });

  it("has no bytes where a shape or a dtype is not known", () => {
    expect(amount([{ shape: null, dtype: "float32" }, { shape: [4], dtype: "float32" }])).toEqual({ count: 2, elements: 4, bytes: null });
    expect(amount([{ shape: [4], dtype: "odd" }]).bytes).toBeNull();
  });
});

it("finds weights by their names", () => {
  expect(["l_self_modules_norm_parameters_weight_", "L_self_modules_bn_buffers_running_mean_", "in_0", "parameters"].map(isParameter)).toEqual([true, true, false, false]);
});

it("gives outputs the shapes of their nodes or inputs", () => {
  expect(outputsOf(graph)).toEqual([{ name: "c", shape: [2, 3], dtype: "float32" }, { name: "x", shape: [2, 3], dtype: "float32" }]);
});
