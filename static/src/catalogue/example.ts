/** A run that ships with a task, in few words. Pure. */

import type { ExampleInShort } from "../api";
import { plural, ratio } from "../format";

/** The method that is named first: what somebody who calls the graph would notice. */
const METHODS = ["e2e", "graph", "kernel", "gpu"];

/** "H200" of "cuda:H200", or of "one NVIDIA H200 (141 GB), 16 CPU cores". */
export function hardwareName({ device, hardware }: Pick<ExampleInShort, "device" | "hardware">): string {
  if (device.includes(":")) return device.slice(device.indexOf(":") + 1);
  return /NVIDIA\s+(?:GeForce\s+|RTX\s+|Tesla\s+)*([\w-]+)/.exec(hardware)?.[1] ?? (hardware.slice(0, 24) || device);
}

/** "H200 1.62× e2e"; without times "H200 9/9 correct". */
export function exampleText(example: ExampleInShort): string {
  const method = METHODS.find((name) => Object.hasOwn(example.speedup, name));
  const name = hardwareName(example);
  if (method === undefined) return `${name} ${example.correct}/${example.total} correct`;
  return `${name} ${ratio(example.speedup[method]!)} ${method}`;
}

export function exampleTitle(example: ExampleInShort): string {
  const speeds = METHODS.filter((name) => Object.hasOwn(example.speedup, name)).map((name) => `${name} ${ratio(example.speedup[name]!)}`);
  const mean = speeds.length === 0 ? "" : ` eager / pass, geometric mean: ${speeds.join(", ")}.`;
  return `The worked example, measured on ${example.hardware}, not here. ${example.correct} of ${plural(example.total, "graph")} correct.${mean}`;
}
