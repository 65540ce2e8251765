import { expect, test } from "vitest";
import { deviceWords } from "./device";

const reading = { sm_clock: 1980, memory_clock: 3201, temperature: 45, power: 310.4, throttled: [] };

test("clocks, temperature, power, and what held the clock down", () => {
  const after = { ...reading, temperature: 61, throttled: ["power cap"] };
  expect(deviceWords({ graph: "a", name: "NVIDIA H200", flags: { "cudnn.allow_tf32": false }, before: reading, after })).toEqual([
    "NVIDIA H200: 1,980 MHz, 45 → 61 °C, 310 W, held down by power cap", "TF32 and reduced-precision reductions off",
  ]);
});

test("what is not known is said, and a flag that is on is named", () => {
  expect(deviceWords({ graph: "a", name: "NVIDIA H200", flags: { "cudnn.allow_tf32": true }, before: null, after: null })).toEqual([
    "NVIDIA H200: clocks and temperature could not be read", "on: cudnn.allow_tf32",
  ]);
});
