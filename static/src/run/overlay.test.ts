import { expect, test } from "vitest";
import { kernel, profiled } from "../__fixtures__/speed";
import { overlays } from "./overlay";
import { emptyGraph } from "./view";

const eager = profiled("eager", [
  kernel("mul", { duration: 2, nodes: ["tmp_0"] }),
  kernel("reduce", { count: 2, duration: 3, nodes: ["tmp_1", "tmp_2"] }),
  kernel("roll", { count: 2, duration: 4, nodes: ["tmp_3"] }),
  kernel("finish", { duration: 1, nodes: ["tmp_3"] }),
]);

test("before the rewrite a node has eager's time, and nodes that share a kernel share its time", () => {
  const found = overlays({ ...emptyGraph("a"), profiles: { eager }, matchedNodes: [["tmp_0", "tmp_1"], ["tmp_1", "tmp_3"]] })!;
  expect(Object.fromEntries(found.time)).toEqual({ tmp_0: 2, tmp_1: 3, tmp_2: 3, tmp_3: 9 });
  expect(found.kernels.get("tmp_3")).toEqual(["roll", "finish"]);
  expect(Object.fromEntries(found.groups)).toEqual({ tmp_0: 0, tmp_1: 0, tmp_3: 1 });
  expect(found.inductor.size).toBe(0);
});

test("what Inductor fuses is known by its kernels' nodes", () => {
  const inductor = profiled("inductor", [kernel("triton_0", { nodes: ["tmp_0", "tmp_1"] }), kernel("triton_1", { nodes: [] }), kernel("triton_2", { nodes: ["tmp_3"] })]);
  const found = overlays({ ...emptyGraph("a"), profiles: { eager, inductor } })!;
  expect(Object.fromEntries(found.inductor)).toEqual({ tmp_0: 0, tmp_1: 0, tmp_3: 1 });
});

test("after the rewrite nodes are the rewritten graph's, and groups are its calls that launch something", () => {
  const candidate = profiled("candidate", [kernel("roll_norm_kernel", { duration: 3.2, nodes: ["roll_norm"] })]);
  const found = overlays({ ...emptyGraph("a"), profiles: { eager, candidate }, newNodes: ["roll_norm", "roll_norm_0"] }, "after")!;
  expect(Object.fromEntries(found.time)).toEqual({ roll_norm: 3.2 });
  expect(Object.fromEntries(found.groups)).toEqual({ roll_norm: 0 });
});

test("a run that says nothing about nodes has no overlay", () => {
  expect(overlays(emptyGraph("a"))).toBeNull();
});
