/** Hand-made events of a run on a GPU: masked mean pooling, 4 × 128 × 384, with round numbers. */

import type { DeviceKernel, DeviceKernels, Roofline, Timed } from "../events";

export function timed(over: Partial<Timed> = {}): Timed {
  return {
    graph: "a", entry: "direct", method: "e2e", profile: "precise",
    samples: { eager: [66, 67, 68], candidate: [49, 50, 51], inductor: [44, 45, 46] },
    medians: { eager: 67, candidate: 50, inductor: 45 },
    ratios: {
      candidate: { value: 1.34, low: 1.32, high: 1.36, rounds: 3, word: "faster" },
      inductor: { value: 1.489, low: 1.47, high: 1.51, rounds: 3, word: "faster" },
    },
    conclusive: true, missing: {}, ...over,
  };
}

export function kernel(name: string, over: Partial<DeviceKernel> = {}): DeviceKernel {
  return { name, count: 1, kind: "kernel", duration: 4, grid: [96, 1, 1], block: [128, 1, 1], registers: 32, shared_memory: 0, nodes: ["sum_1"], ...over };
}

export function profiled(who: string, list: DeviceKernel[], over: Partial<DeviceKernels> = {}): DeviceKernels {
  return { graph: "a", who, total: list.reduce((sum, one) => sum + one.count, 0), list, device_time: 20, diff: null, ...over };
}

export function roofline(over: Partial<Roofline> = {}): Roofline {
  return {
    graph: "a", bytes_read: 1_572_864, bytes_written: 6144, matmul_operations: 0, other_operations: 393_216,
    floor: 5.9, memory_floor: 5.9, arithmetic_floor: 0.4, kernel_minimum: 2.1,
    fraction: { candidate: 0.59, eager: 0.2, inductor: 0.5 }, bound: "launch", cost: { launch: 25, memory: 5.9, arithmetic: 0.4 },
    perfect_gain: { e2e: 4.2, graph: 5 }, peak_memory: { eager: 1_579_008, candidate: 6144, inductor: null }, compile_seconds: { inductor: 2.1 }, ...over,
  };
}
