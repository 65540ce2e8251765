import { expect, it } from "vitest";
import { exampleText, exampleTitle, hardwareName } from "./example";

const example = { run: "r", device: "cuda", hardware: "one NVIDIA H200 (141 GB), 16 CPU cores", correct: 9, total: 9, speedup: { graph: 4.2, e2e: 1.617 } };

it("names the machine and the end-to-end ratio", () => {
  expect(exampleText(example)).toBe("H200 1.62× e2e");
  expect(exampleText({ ...example, speedup: { kernel: 2 } })).toBe("H200 2.00× kernel");
  expect(exampleText({ ...example, speedup: {} })).toBe("H200 9/9 correct");
  expect(exampleTitle(example)).toBe("The worked example, measured on one NVIDIA H200 (141 GB), 16 CPU cores, not here. 9 of 9 graphs correct. eager / pass, geometric mean: e2e 1.62×, graph 4.20×.");
});

it("finds a short name for the hardware", () => {
  expect(hardwareName({ device: "cuda:H100", hardware: "" })).toBe("H100");
  expect(hardwareName({ device: "cuda", hardware: "NVIDIA GeForce RTX 4090" })).toBe("4090");
  expect(hardwareName({ device: "cuda", hardware: "" })).toBe("cuda");
});
