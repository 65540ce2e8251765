import { expect, test } from "vitest";
import { roofline, timed } from "../__fixtures__/speed";
import { dominates, measuredCost, modelCost } from "./cost";

const timings = [timed({ medians: { eager: 67, candidate: 50 } }), timed({ method: "graph", medians: { eager: 16, candidate: 3.6 } })];

test("what e2e takes beyond graph is the host, and the floor is part of the kernels", () => {
  const [eager, yours] = measuredCost({ timings, roofline: roofline({ floor: 2 }) });
  expect(eager!.parts.map(({ part, time }) => [part, time])).toEqual([["floor", 2], ["kernels", 14], ["host", 51]]);
  expect(yours!.parts[2]!.time).toBeCloseTo(46.4);
  expect(dominates(eager)).toBe("76 % of 67.0 µs is Python and launches"); // 51 of 67
});

test("a time below the floor has no more floor than itself", () => {
  const [bar] = measuredCost({ timings: [timed({ medians: { eager: 10 } }), timed({ method: "graph", medians: { eager: 4 } })], roofline: roofline({ floor: 6 }) });
  expect(bar!.parts.map(({ part, time }) => [part, time])).toEqual([["floor", 4], ["host", 6]]);
});

test("nothing without both methods", () => {
  expect(measuredCost({ timings: [timed()], roofline: roofline() })).toEqual([]);
});

test("the model's terms, where they are known", () => {
  expect(modelCost(roofline())!.parts.map(({ part, time }) => [part, time])).toEqual([["launch", 25], ["memory", 5.9], ["arithmetic", 0.4]]);
  expect(modelCost({})).toBeNull();
});
