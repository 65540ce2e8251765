/** Where the time of one call goes: the least that the device needs, the rest of the kernels, Python and launches. Pure. */

import type { Roofline } from "../events";
import { micros } from "../format";
import { inOrder, participantName } from "./speed";
import type { GraphView } from "./view";

export type Part = "floor" | "kernels" | "host" | "launch" | "memory" | "arithmetic";

export interface CostPart {
  part: Part;
  label: string;
  /** µs. */
  time: number;
}

export interface CostBar {
  who: string;
  name: string;
  parts: CostPart[];
  total: number;
}

const LABELS: Record<Part, string> = {
  floor: "roofline floor", kernels: "kernels beyond the floor", host: "Python and launches",
  launch: "launch and Python", memory: "memory", arithmetic: "arithmetic",
};

export const partLabel = (part: Part): string => LABELS[part];

/** Measured: `graph` is the device alone, and what `e2e` takes beyond it is the host. Empty where either is missing. */
export function measuredCost({ timings, roofline }: Pick<GraphView, "timings" | "roofline">): CostBar[] {
  const medians = (method: string): Record<string, number> => timings.find((one) => one.entry === "direct" && one.method === method)?.medians ?? {};
  const whole = medians("e2e");
  const device = medians("graph");
  return inOrder(Object.keys(whole)).flatMap((who) => {
    const all = whole[who]!;
    const own = device[who];
    if (own === undefined || !(all > 0)) return [];
    const floor = Math.min(roofline?.floor ?? 0, own);
    const parts = ([["floor", floor], ["kernels", own - floor], ["host", Math.max(0, all - own)]] as const)
      .filter(([, time]) => time > 0).map(([part, time]) => ({ part, label: LABELS[part], time }));
    return [{ who, name: participantName(who), parts, total: parts.reduce((sum, one) => sum + one.time, 0) }];
  });
}

/** The model's three terms for eager; null where the launch cost was not calibrated. */
export function modelCost({ cost }: Partial<Pick<Roofline, "cost">>): CostBar | null {
  const parts = (["launch", "memory", "arithmetic"] as const).flatMap((part) => {
    const time = cost?.[part];
    return typeof time === "number" && time > 0 ? [{ part, label: LABELS[part], time }] : [];
  });
  if (parts.length === 0) return null;
  return { who: "eager", name: "eager, by the model", parts, total: parts.reduce((sum, one) => sum + one.time, 0) };
}

/** "Yours: 96 % of 93.3 µs by e2e is Python and launches." "" where nothing is known. */
export function dominates(bar: CostBar | undefined): string {
  if (bar === undefined || bar.parts.length === 0) return "";
  const most = bar.parts.reduce((best, one) => (one.time > best.time ? one : best));
  return `${Math.round((100 * most.time) / bar.total)} % of ${micros(bar.total)} µs is ${most.label}`;
}
