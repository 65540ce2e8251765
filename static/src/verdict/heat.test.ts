import { expect, it } from "vitest";
import { heat } from "./heat";

it("places errors on a logarithmic ramp, zero at its foot", () => {
  expect(heat(0, 1e-6, 1)).toBe(0);
  expect(heat(1, 1e-6, 1)).toBeCloseTo(1);
  expect(heat(1e-6, 1e-6, 1)).toBeCloseTo(0.08);
  expect(heat(1e-3, 1e-6, 1)).toBeCloseTo(0.54);
  expect(heat(2, 2, 2)).toBe(1);
});
