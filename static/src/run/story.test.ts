import { expect, test } from "vitest";
import { nearMiss } from "../__fixtures__/events";
import { profiled, kernel, roofline, timed } from "../__fixtures__/speed";
import { fasterAnswer, inductorMean, matchAnswer, nextSteps, rightAnswer, whyAnswer } from "./story";
import type { GraphView } from "./view";
import { emptyGraph } from "./view";

const done = (over: Partial<GraphView>): GraphView => ({ ...emptyGraph("a"), phase: "done", status: "correct", matches: 1, firstT: -6, ...over });

test("did it match", () => {
  expect(matchAnswer(done({ perPass: { FusePool: 1, Other: 0 } }))!.text).toBe("1 match, by FusePool.");
  expect(matchAnswer(done({ matches: 0, status: "no_match" }))!.glyph).toBe("■");
  expect(matchAnswer(emptyGraph("a"))).toBeNull();
});

test("is it right", () => {
  expect(rightAnswer(done({ maxAbs: 6e-8 }))!.text).toBe("Yes: correct from t = −6 on, largest error 6.0e−08.");
  expect(rightAnswer(done({ firstT: -99 }))!.text).toBe("Yes: equal in every bit.");
  expect(rightAnswer(done({ status: "accuracy", firstT: -3 }))!.text).toBe("No: correct from t = −3 only; t = −5 is asked.");
  expect(rightAnswer(done({ status: "accuracy", firstT: null, mismatch: "dtype" }))!.text).toBe("No: dtype mismatch.");
  expect(rightAnswer(done({ status: "runtime_fail", reason: "crash" }))!.text).toBe("Not compared: runtime fail, crash.");
});

test("is it faster, with its methods named, beside Inductor through the same entry", () => {
  const graph = done({ timings: [timed(), timed({ method: "graph", ratios: { candidate: { value: 4.5, low: 4.4, high: 4.6, rounds: 9, word: "faster" } } })] });
  expect(fasterAnswer(graph)!.text).toBe("1.34× ±0.02 by e2e, 4.50× ±0.10 by graph; Inductor 1.49× by e2e.");
  expect(fasterAnswer(done({}))).toBeNull();
});

test("why: launches, and what dominates", () => {
  const graph = done({
    profiles: { eager: profiled("eager", [kernel("a", { count: 5 })]), candidate: profiled("candidate", [kernel("b")]) },
    timings: [timed(), timed({ method: "graph", medians: { eager: 16, candidate: 4 } })], roofline: roofline({ floor: 1 }),
  });
  expect(whyAnswer(graph)).toBe("5 launches became 1. Of a call by e2e, 92 % of 50.0 µs is Python and launches."); // 46 of 50
});

test("what to do next follows from what happened", () => {
  expect(nextSteps(done({}))[0]).toContain("needs a GPU");
  expect(nextSteps(done({ status: "no_match", nearMisses: [nearMiss()] }))[0]).toContain("first node that differs");
  expect(nextSteps(done({ status: "accuracy", mismatch: "dtype" }))[0]).toContain("the dtype differs");
  expect(nextSteps(done({ status: "rejected", reason: "violation" }))[0]).toContain("what the findings name");
  expect(nextSteps(done({ status: "rejected", reason: "bad_submission" }))[0]).toContain("what the message says");
  expect(nextSteps({ ...done({}), phase: "timed" })).toEqual([]);
});

test("of a right and fast graph it says what is left to gain", () => {
  const device = timed({ method: "graph", medians: { eager: 16, candidate: 8, inductor: 6 } });
  const steps = nextSteps(done({ timings: [timed(), device], roofline: roofline({ fraction: { candidate: 0.5 }, kernel_minimum: 2 }) }));
  expect(steps.map((step) => step.slice(0, 30))).toEqual(["Inductor's kernels take 6.00 µ", "42.0 µs of 50.0 µs by e2e are ", "The kernel reaches 50 % of the"]);
  const even = timed({ method: "graph", medians: { eager: 16, candidate: 6, inductor: 6 } });
  expect(nextSteps(done({ timings: [timed(), even] }))[0]).toContain("Inductor is 5.00 µs ahead by e2e"); // 50 − 45
  const near = nextSteps(done({ timings: [device], roofline: roofline({ fraction: { candidate: 0.1 }, kernel_minimum: 4.5 }) }));
  expect(near.at(-1)).toContain("near the 4.50 µs");
});

test("Inductor's mean is a mean over all graphs or none", () => {
  const ratio = (value: number) => ({ inductor: { value, low: value, high: value, rounds: 3, word: "faster" } });
  const graphs = [done({ timings: [timed({ ratios: ratio(2) })] }), done({ timings: [timed({ ratios: ratio(8) })] })];
  expect(inductorMean(graphs)).toBeCloseTo(4);
  expect(inductorMean([...graphs, done({})])).toBeNull();
  expect(inductorMean([])).toBeNull();
});
