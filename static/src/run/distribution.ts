/** What the samples of one method look like for each participant: five numbers and the interval of the ratio. Pure. */

import { max, min, quantileSorted } from "d3-array";
import type { Timed } from "../events";
import { inOrder, participantName } from "./speed";

export interface Spread {
  who: string;
  name: string;
  /** µs, in the order of the rounds. */
  samples: readonly number[];
  low: number;
  /** First quartile, median, third quartile. */
  q1: number;
  median: number;
  q3: number;
  high: number;
}

export interface Whisker {
  who: string;
  name: string;
  value: number;
  low: number;
  high: number;
  rounds: number;
  word: string;
}

/** One for each participant that was timed; the whiskers end at the 5th and the 95th percentile. */
export function spreads({ samples, medians }: Pick<Timed, "samples" | "medians">): Spread[] {
  return inOrder(Object.keys(samples)).flatMap((who) => {
    const own = samples[who]!.filter((value) => Number.isFinite(value) && value > 0);
    if (own.length === 0) return [];
    const sorted = [...own].sort((a, b) => a - b);
    const at = (part: number): number => quantileSorted(sorted, part)!;
    return [{ who, name: participantName(who), samples: own, low: at(0.05), q1: at(0.25), median: medians[who] ?? at(0.5), q3: at(0.75), high: at(0.95) }];
  });
}

/** The span of all samples. */
export function extentOf(found: readonly Spread[]): [number, number] {
  return [min(found, (one) => min(one.samples)) ?? 1, max(found, (one) => max(one.samples)) ?? 1];
}

/** Where the largest sample is that much larger than the smallest, a linear axis would hide what matters. */
export const LOG_FROM = 4;

export function needsLog([low, high]: readonly [number, number]): boolean {
  return low > 0 && high / low >= LOG_FROM;
}

/** eager / participant with its 95 % interval, in the order of the participants. */
export function whiskers({ ratios }: Pick<Timed, "ratios">): Whisker[] {
  return inOrder(Object.keys(ratios)).map((who) => ({ who, name: participantName(who), ...ratios[who]! }));
}

/** Rows for a table or a file: one a round. */
export function sampleRows(found: readonly Spread[]): (string | number)[][] {
  const rounds = Math.max(0, ...found.map((one) => one.samples.length));
  return Array.from({ length: rounds }, (_, round) => [round + 1, ...found.map((one) => one.samples[round] ?? "")]);
}
