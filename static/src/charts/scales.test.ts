import { expect, test } from "vitest";
import { axis, microsTick, ratioTick, widened } from "./scales";

test("a logarithmic axis has 1, 2 and 5 of each decade, thinned where they would touch", () => {
  const wide = axis({ domain: [1, 100], range: [0, 700], log: true, text: String });
  expect(wide.ticks.map(({ text }) => text)).toEqual(["1", "2", "5", "10", "20", "50", "100"]);
  expect(wide(10)).toBeCloseTo(350);
  const narrow = axis({ domain: [1, 100], range: [0, 160], log: true, text: String });
  expect(narrow.ticks.map(({ text }) => text)).toEqual(["1", "10", "100"]);
});

test("a short logarithmic axis still has ticks", () => {
  expect(axis({ domain: [1.1, 1.4], range: [0, 300], log: true, text: String }).ticks.length).toBeGreaterThan(1);
});

test("axes begin and end outside their data", () => {
  expect(widened([0, 100], false)).toEqual([0, 104]);
  const [low, high] = widened([1, 1], true);
  expect(low).toBeLessThan(1);
  expect(high).toBeGreaterThan(1);
});

test("ticks are short", () => {
  expect([0.5, 12, 1234].map(microsTick)).toEqual(["0.5", "12", "1,234"]);
  expect([1, 1.5].map(ratioTick)).toEqual(["1×", "1.5×"]);
});
