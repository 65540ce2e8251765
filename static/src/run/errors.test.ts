import { describe, expect, it } from "vitest";
import { output } from "../__fixtures__/events";
import { limits, tellsTruth, toldError, worstError } from "./errors";

const nan = output({ mismatch: "nan", first_t: null, max_abs: 0, max_rel: 0, differing: 120 });
const truth = (eager: number, candidate: number) => ({ eager_max: eager, eager_rms: eager, candidate_max: candidate, candidate_rms: candidate, nearer: "same" });

it("does not call it no error when what differs is not finite", () => {
  expect(toldError(0, nan)).toBeNull();
  expect(toldError(0, output({ max_abs: 0, differing: 0 }))).toBe(0);
  expect(toldError(2e-6, output())).toBe(2e-6);
  expect(toldError(null, output())).toBeNull();
});

describe("worstError", () => {
  it("is the largest, and none beside an output that is not finite", () => {
    expect(worstError([])).toBeNull();
    expect(worstError([output({ max_abs: null })])).toBeNull();
    expect(worstError([output({ max_abs: 0, differing: 0 }), output({ max_abs: 2e-6 })])).toBe(2e-6);
    expect(worstError([output({ max_abs: 2e-6 }), nan])).toBeNull();
    expect(worstError([output({ max_abs: 0.5 }), output({ mismatch: "nan", max_abs: 0.1 })])).toBeNull();
  });
});

describe("tellsTruth", () => {
  it("is silent where not every element was compared", () => {
    expect(tellsTruth(truth(0, 0), nan)).toBe(false);
    expect(tellsTruth(truth(0.1, 0.1), nan)).toBe(false);
    expect(tellsTruth(truth(0, 0), output({ differing: 4 }))).toBe(false);
    expect(tellsTruth(truth(0, 0), output({ differing: 0 }))).toBe(true);
    expect(tellsTruth(truth(0.1, 0.2), output())).toBe(true);
  });
});

describe("limits", () => {
  const map = (cells: (number | null)[][]) => ({ dims: [0, 1], sizes: [1, 3], cells });
  it("spans the errors above zero, and is null where there is none", () => {
    expect(limits(map([[0, 0.5, null], [2, 0.1, 0]]))).toEqual({ low: 0.1, high: 2 });
    expect(limits(map([[null, null, 0]]))).toBeNull();
  });
});
