import { expect, test } from "vitest";
import { timed } from "../__fixtures__/speed";
import { extentOf, needsLog, sampleRows, spreads, whiskers } from "./distribution";

test("five numbers a participant, eager first and yours last", () => {
  const found = spreads(timed({ samples: { candidate: [1, 2, 3, 4, 5], eager: [10, 30, 20] }, medians: { candidate: 3, eager: 20 } }));
  expect(found.map((one) => one.who)).toEqual(["eager", "candidate"]);
  // Of 1 … 5 the quartiles are 2 and 4, the 5th percentile lies a fifth of the way from 1 to 2.
  expect(found[1]).toMatchObject({ q1: 2, median: 3, q3: 4, low: 1.2, high: 4.8 });
  expect(found[0]!.samples).toEqual([10, 30, 20]);
  expect(extentOf(found)).toEqual([1, 30]);
});

test("a participant without samples is left out, and times that are none do not count", () => {
  expect(spreads({ samples: { eager: [], candidate: [-1, 0, Infinity] }, medians: {} })).toEqual([]);
});

test("a logarithmic axis from a fourfold span on", () => {
  expect(needsLog([10, 39])).toBe(false);
  expect(needsLog([10, 40])).toBe(true);
});

test("a row a round", () => {
  expect(sampleRows(spreads(timed({ samples: { eager: [10, 11], candidate: [5] } })))).toEqual([[1, 10, 5], [2, 11, ""]]);
});

test("ratios with their intervals", () => {
  expect(whiskers(timed()).map(({ name, value, low, high }) => [name, value, low, high])).toEqual([["Inductor", 1.489, 1.47, 1.51], ["yours", 1.34, 1.32, 1.36]]);
});
