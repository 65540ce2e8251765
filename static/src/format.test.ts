import { expect, it } from "vitest";
import { bytes, clock, element, error, firstT, halfWidth, inputName, micros, plural, ratio, shortDtype, tensor, when } from "./format";

it("sets tolerances with a true minus sign", () => {
  expect([firstT(-7), firstT(0), firstT(3), firstT(-99), firstT(null)]).toEqual(["−7", "0", "3", "exact", "–"]);
});

it("gives errors two digits", () => {
  expect([0, 3.14e-6, 0.01234, 2.5, 1234, 123456, -4e-7, Infinity, null].map((value) => error(value))).toEqual([
    "0", "3.1e−06", "0.012", "2.5", "1200", "1.2e05", "−4.0e−07", "∞", "–",
  ]);
});

it("shows values of tensors, and strings for what is not finite", () => {
  expect([element(3), element(-0.123456789), element("nan"), element(true)]).toEqual(["3", "−0.12346", "nan", "true"]);
});

it("writes clocks", () => {
  expect([0, 0.0842, 0.9996, 1.24, 99.96, 125].map(clock)).toEqual(["0 ms", "84 ms", "1.0 s", "1.2 s", "1:40", "2:05"]);
});

it("shortens dtypes and joins them with shapes", () => {
  expect(shortDtype("torch.bfloat16")).toBe("bf16");
  expect(shortDtype("constructor")).toBe("constructor");
  expect(tensor([2, 3], "float16")).toBe("[2,3] f16");
  expect(tensor(null, null)).toBe("");
  expect(tensor([], "int64")).toBe("[] i64");
});

it("shortens the names that Dynamo gives to parameters", () => {
  expect(inputName("L_self_modules_layers_modules_0_modules_q_parameters_weight_")).toBe("layers.0.q.weight");
  expect(inputName("L_self_modules_norm_buffers_running_mean_")).toBe("norm.running_mean");
  expect(inputName("in_0")).toBe("in_0");
});

it("leaves the day out today", () => {
  const now = new Date(2026, 10, 29, 13, 0);
  expect(when(new Date(2026, 10, 29, 9, 5).toISOString(), now)).toBe("09:05");
  expect(when(new Date(2026, 10, 2, 9, 5).toISOString(), now)).toBe("2 Nov 09:05");
  expect(when(new Date(2025, 0, 2, 9, 5).toISOString(), now)).toBe("2 Jan 2025 09:05");
  expect(when("?", now)).toBe("");
});

it("counts", () => {
  expect([plural(1, "graph"), plural(2, "match", "matches"), plural(12345, "line")]).toEqual(["1 graph", "2 matches", "12,345 lines"]);
});

it("sets times, ratios, their intervals and sizes", () => {
  expect([0.456, 5.934, 12.44, 99.96, 1234.5].map(micros)).toEqual(["0.46", "5.93", "12.4", "100", "1,235"]);
  expect([0.987, 1.834, 12.34, 123.4].map(ratio)).toEqual(["0.99×", "1.83×", "12.3×", "123×"]);
  expect([halfWidth(1.83, 1.81, 1.85), halfWidth(1.83, 1.829, 1.831), halfWidth(12.3, 12, 12.6), halfWidth(1, 1, 1)]).toEqual(["±0.02", "±<0.01", "±0.3", "±0.00"]);
  expect([0, 640, 24_576, 1_572_864, 2.5e9].map(bytes)).toEqual(["0 B", "640 B", "24.6 kB", "1.57 MB", "2.50 GB"]);
});
