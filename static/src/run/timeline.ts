/** Kernels of one call laid end to end, for each participant on one scale. Pure. */

import type { DeviceKernel } from "../events";
import { EAGER, inOrder, participantName } from "./speed";
import type { GraphView } from "./view";

export interface Segment {
  name: string;
  short: string;
  /** µs from the first kernel's begin; gaps between launches are left out. */
  start: number;
  duration: number;
  /** Launches that this segment stands for. */
  count: number;
  /** Whether eager launches a kernel of this name too. */
  known: boolean;
  nodes: readonly string[];
}

export interface Lane {
  who: string;
  name: string;
  segments: Segment[];
  total: number;
  launches: number;
}

/** More launches of one kernel than this are drawn as one segment. */
export const MOST_LAUNCHES = 12;

export function lanes({ profiles }: Pick<GraphView, "profiles">): Lane[] {
  const before = new Set(profiles[EAGER]?.list.map((kernel) => kernel.name));
  return inOrder(Object.keys(profiles)).map((who) => {
    let start = 0;
    const segments: Segment[] = [];
    for (const kernel of profiles[who]!.list) {
      for (const [duration, count] of parts(kernel)) {
        segments.push({ name: kernel.name, short: shortKernel(kernel.name), start, duration, count, known: before.has(kernel.name), nodes: kernel.nodes });
        start += duration;
      }
    }
    return { who, name: participantName(who), segments, total: start, launches: profiles[who]!.total };
  });
}

function parts({ duration, count }: DeviceKernel): [number, number][] {
  if (count > MOST_LAUNCHES) return [[duration * count, count]];
  return Array.from({ length: count }, () => [duration, 1]);
}

/**
 * "void at::native::elementwise_kernel<128, 2, …MulFunctor<float>…>(…)" → "elementwise_kernel MulFunctor"; Triton's names
 * stay as they are.
 */
export function shortKernel(name: string): string {
  if (!/[<(]/.test(name)) return name;
  const bare = name.replace(/^void\s+/, "").replaceAll("(anonymous namespace)::", "");
  const base = /^[\w:]+/.exec(bare)?.[0].split("::").at(-1) ?? bare;
  const inside = bare.slice(bare.indexOf(base) + base.length);
  const hint = /(\w*[a-z]Functor(?:_\w+)?|CUDAFunctor\w*|\w+_functor|launch_\w+|\w+_kernel_cuda|\w+Ops)\b/g;
  const found = [...inside.matchAll(hint)].map((match) => match[1]!).find((word) => !["BinaryFunctor", "UnaryFunctor"].includes(word));
  return found === undefined ? base : `${base} ${found.replace(/_kernel_cuda$|^launch_/, "")}`;
}
