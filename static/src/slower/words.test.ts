import { expect, test } from "vitest";
import type { Context, Share } from "./types";
import { contextName, extentOf, launchText, percent, reasonName, way } from "./words";

test("a share that is something is not shown as nothing, one that is not all not as all", () => {
  expect([percent(71, 100), percent(1, 1000), percent(999, 1000), percent(0, 5), percent(5, 5), percent(0, 0)]).toEqual(["71 %", "<1 %", ">99 %", "0 %", "100 %", "–"]);
});

test("a context says machine, compiler, versions and where its figures come from", () => {
  const context: Context = { key: "k", device: "cuda:H200", hardware: "NVIDIA H200", torch: "2.13.0", harness: "0.1.0", backend: "inductor", threads: 0, origin: "h200.jsonl", graphs: 4211, figures: 21055, measured_at: "" };
  expect(contextName(context)).toBe("H200 · Inductor · torch 2.13.0 · harness 0.1.0 · 4,211 graphs, from h200.jsonl");
  expect(contextName({ ...context, device: "cpu", threads: 1, graphs: 1, origin: "" })).toBe("CPU · Inductor · torch 2.13.0 · harness 0.1.0 · 1 thread · 1 graph, measured here");
});

test("launches, ways and reasons have words", () => {
  expect(launchText({ eager_kernels: 5, kernels: 1 })).toBe("5 → 1");
  expect(launchText({ eager_kernels: null, kernels: 2 })).toBe("– → 2");
  expect(launchText({ eager_kernels: null, kernels: null })).toBe("");
  expect([way("graph-direct").short, way("toString").short]).toEqual(["replay", "toString"]);
  expect([reasonName("host"), reasonName(""), reasonName("new")]).toEqual(["host overhead", "not slower", "new"]);
});

test("the axis holds 1 and all but the outermost hundredth", () => {
  const share: Share = { way: "e2e-direct", measured: 200, slower: 0, faster: 0, same: 0, inconclusive: 0, below_one: 0, median: 2, curve: [[0.01, 0.005], [1.2, 0.5], [3, 0.99], [900, 1]] };
  expect(extentOf([share])).toEqual([1, 3]);
  expect(extentOf([])).toEqual([1, 1]);
});
