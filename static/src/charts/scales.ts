/** Axes: linear or logarithmic, with few ticks that do not touch. Pure. */

import { scaleLinear, scaleLog } from "d3-scale";
import { micros, ratio } from "../format";

export interface Scale {
  (value: number): number;
  ticks: { at: number; text: string }[];
}

interface Asked {
  domain: readonly [number, number];
  range: readonly [number, number];
  log: boolean;
  /** Pixels that a tick's text needs. */
  room?: number;
  text(value: number): string;
}

export function axis({ domain, range, log, room = 52, text }: Asked): Scale {
  const span = Math.abs(range[1] - range[0]);
  const most = Math.max(2, Math.floor(span / room));
  const made = log ? scaleLog([...domain], [...range]) : scaleLinear([...domain], [...range]);
  const ticks = (log ? fewer(logTicks(domain), most) : made.ticks(most)).map((value) => ({ at: made(value), text: text(value) }));
  return Object.assign((value: number) => made(value), { ticks });
}

/** 1, 2 and 5 of each decade inside; where that gives too few, steps between. */
function logTicks([low, high]: readonly [number, number]): number[] {
  const found: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    for (const digit of [1, 2, 5]) {
      const value = Number((digit * 10 ** power).toPrecision(3));
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) found.push(value);
    }
  }
  return found.length >= 2 ? found : scaleLinear([low, high], [0, 1]).ticks(4).filter((value) => value > 0);
}

/** Every n-th, so that at most `most` are left. */
function fewer(values: readonly number[], most: number): number[] {
  const step = Math.ceil(values.length / most);
  return values.filter((_, index) => index % step === 0);
}

/** Whole axes begin and end a little outside their data. */
export function widened([low, high]: readonly [number, number], log: boolean, by = 0.04): [number, number] {
  if (log) {
    const part = Math.max((high / low) ** by, 1.02);
    return [low / part, high * part];
  }
  const part = Math.max((high - low) * by, high * 0.005, 1e-9);
  return [Math.max(0, low - part), high + part];
}

/** A tick in µs: "12", "0.5", "1,200". */
export const microsTick = (value: number): string => (value >= 100 ? micros(value) : String(Number(value.toPrecision(3))));
/** A tick of a ratio: "1×", "1.5×". */
export const ratioTick = (value: number): string => (value >= 100 ? ratio(value) : `${Number(value.toPrecision(3))}×`);
