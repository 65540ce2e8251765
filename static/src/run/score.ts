/** The ES_t curve of a run, as points and words. Pure. */

import { firstT } from "../format";

export interface Point {
  t: number;
  value: number;
}

/** Points by rising t; entries that are no numbers are left out. */
export function curve(esT: Readonly<Record<string, number>>): Point[] {
  return Object.entries(esT)
    .map(([t, value]) => ({ t: Number(t), value }))
    .filter(({ t, value }) => Number.isFinite(t) && Number.isFinite(value) && value > 0)
    .sort((a, b) => a.t - b.t);
}

/** "ES_t from 0.45 at t −10 to 1.62 at t 5" */
export function curveWords(points: readonly Point[]): string {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined) return "";
  return `ES_t from ${first.value.toFixed(2)} at t ${firstT(first.t)} to ${last.value.toFixed(2)} at t ${firstT(last.t)}`;
}
