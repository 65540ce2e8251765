/** Errors that can be told: an element that is not finite has none, and a largest error of no element is no zero. Pure. */

import type { ErrorMap, OutputReport, TruthReport } from "../events";

/** A largest error of 0 beside elements that differ is that of the others: all that differ are not finite. */
export function toldError(value: number | null, { differing }: OutputReport): number | null {
  return value === 0 && differing > 0 ? null : value;
}

/** The largest absolute error; null when none was told, or when some output has an element whose error has no size. */
export function worstError(outputs: readonly OutputReport[]): number | null {
  let worst: number | null = null;
  for (const output of outputs) {
    const error = toldError(output.max_abs, output);
    if (output.mismatch === "nan" || (error === null && output.max_abs !== null)) return null;
    if (error !== null) worst = Math.max(worst ?? 0, error);
  }
  return worst;
}

/** Whether the errors against float64 compare whole outputs: not so where elements are missing from them. */
export function tellsTruth(report: TruthReport, output: OutputReport | undefined): boolean {
  if (output?.mismatch === "nan") return false;
  // Both exact and yet not correct: only elements were compared that do not differ.
  return !(report.eager_max === 0 && report.candidate_max === 0 && output !== undefined && output.differing > 0);
}

/** Smallest and largest error above zero on a map; null when no cell has one. */
export function limits(map: ErrorMap): { low: number; high: number } | null {
  let low = Infinity;
  let high = 0;
  for (const value of map.cells.flat()) {
    if (value === null || value <= 0) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return high === 0 ? null : { low, high };
}
