import { describe, expect, it } from "vitest";
import { kernel, profiled } from "../__fixtures__/speed";
import { kernelLists } from "./kernels";

const EAGER = [kernel("mul"), kernel("sum", { count: 3, duration: 6.5 }), kernel("div")];
const YOURS = [kernel("sum"), kernel("_pool", { grid: [4, 3, 1], shared_memory: 2048, duration: 9.67 })];

describe("kernelLists", () => {
  const graph = {
    kernels: { candidate: YOURS, eager: EAGER }, launches: { eager: 5, candidate: 2 },
    profiles: { eager: profiled("eager", EAGER), candidate: profiled("candidate", YOURS, { device_time: 13.67 }) },
  };

  it("lists eager's kernels, then what is new, kept and removed", () => {
    const [eager, yours] = kernelLists(graph);
    expect([eager!.name, eager!.total, eager!.change, eager!.time]).toEqual(["eager", 5, null, "20.0"]);
    expect(eager!.rows.map((row) => [row.name, row.count, row.duration])).toEqual([["mul", 1, "4.00"], ["sum", 3, "6.50"], ["div", 1, "4.00"]]);
    expect([yours!.name, yours!.total, yours!.change, yours!.time]).toEqual(["yours", 2, -3, "13.7"]);
    expect(yours!.rows.map((row) => [row.change, row.name, row.before])).toEqual([["new", "_pool", null], ["kept", "sum", 3], ["removed", "mul", null], ["removed", "div", null]]);
    expect(yours!.rows[0]!.launch).toBe("grid 4×3, block 128, 32 registers, 2,048 B shared memory");
  });

  it("knows names and counts alone where nothing was profiled", () => {
    const [, yours] = kernelLists({ kernels: { eager: [{ name: "aten.mul", count: 2 }], candidate: [] }, launches: { eager: 2 }, profiles: {} });
    expect(yours).toMatchObject({ total: null, change: null, time: "", rows: [{ name: "aten.mul", change: "removed", count: 2, duration: "", launch: "" }] });
  });
});
