/** Runs put together by revision, for the history's chart. Pure. */

import type { HistoryPoint, RunSummary } from "../api";

export interface Mark {
  run: RunSummary;
  point: HistoryPoint;
  value: number;
}

/** The runs of one revision, the last one last. */
export interface Revision {
  last: Mark;
  earlier: readonly Mark[];
}

/** Marks in the order of their runs → one for each revision, in the order in which they were first run. */
export function byRevision(marks: readonly Mark[]): Revision[] {
  const found = new Map<string, Mark[]>();
  for (const mark of marks) {
    const runs = found.get(mark.run.revision);
    if (runs === undefined) found.set(mark.run.revision, [mark]);
    else runs.push(mark);
  }
  return [...found.values()].map((runs) => ({ last: runs.at(-1)!, earlier: runs.slice(0, -1) }));
}
