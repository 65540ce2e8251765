/** The roofline floor of a graph and how near to it each participant comes, ready to be drawn. Pure. */

import type { Roofline } from "../events";
import { bytes, micros, ratio } from "../format";
import { inOrder, participantName } from "./speed";

export interface FloorBar {
  who: string;
  name: string;
  /** "61 %" */
  percent: string;
  /** "9.67" µs, by `graph`. */
  time: string;
  /** Part of the bar that is filled, 0 to 1. */
  part: number;
  /** Faster than the floor allows: worth a look, no accusation. */
  below: boolean;
}

export function floorBars({ fraction, floor }: Pick<Roofline, "fraction" | "floor">): FloorBar[] {
  return inOrder(Object.keys(fraction)).map((who) => {
    const share = fraction[who]!;
    return {
      who, name: participantName(who), percent: `${Math.round(100 * share)} %`, time: micros(floor / share),
      part: Math.min(1, Math.max(0, share)), below: share > 1,
    };
  });
}

const BOUND: Record<string, string> = { launch: "launches and the host", memory: "memory", arithmetic: "arithmetic" };

/** "Eager is bound by memory. A perfect fused kernel would gain 1.9× by e2e, 11.2× by graph." */
export function boundSentence({ bound, perfect_gain: gain }: Pick<Roofline, "perfect_gain"> & Partial<Pick<Roofline, "bound">>): string {
  const gains = ["e2e", "gpu", "graph", "kernel"].filter((method) => gain[method] !== undefined).map((method) => `${ratio(gain[method]!)} by ${method}`);
  const first = bound === undefined ? "" : `Eager is bound by ${BOUND[bound] ?? bound}. `;
  return gains.length === 0 ? first.trim() : `${first}A perfect fused kernel would gain ${gains.join(", ")}.`;
}

/** What the floor is made of: "reads 24.6 kB, writes 1.54 kB, 12,288 operations". */
export function workSentence(work: Pick<Roofline, "bytes_read" | "bytes_written" | "matmul_operations" | "other_operations">): string {
  const operations = work.matmul_operations + work.other_operations;
  return `reads ${bytes(work.bytes_read)}, writes ${bytes(work.bytes_written)}${operations > 0 ? `, ${operations.toLocaleString("en-US")} operations` : ""}`;
}

/** Peak memory of one call by participant: "eager 1.57 MB, yours 0.20 MB"; "" where not known. */
export function memorySentence({ peak_memory: peak }: Pick<Roofline, "peak_memory">): string {
  return inOrder(Object.keys(peak)).flatMap((who) => (peak[who] == null ? [] : [`${participantName(who)} ${bytes(peak[who])}`])).join(", ");
}
