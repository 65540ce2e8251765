/** What a run has to say about single nodes: matched, differs, leaks, launch. Pure. */

import type { GraphView } from "../run/view";
import type { Tone } from "../vocabulary";

export interface Mark {
  /** Always written beside the colour. */
  word: string;
  tone: Tone;
  /** A faint mark takes part, but is not the point (the matched part of a near miss). */
  faint: boolean;
  /** Of the text in the editor, not of a run. */
  live?: true;
}

export type Marks = ReadonlyMap<string, Mark>;

/** Marks on the original graph: matches, or else where the nearest miss stopped. */
export function marksBefore(run: GraphView | null): Marks {
  const marks = new Map<string, Mark>();
  if (run === null) return marks;
  run.matchedNodes.forEach((names, index) => {
    const word = run.matchedNodes.length > 1 ? `match ${index + 1}` : "matched";
    for (const name of names) marks.set(name, { word, tone: "correct", faint: false });
  });
  const miss = run.matches === 0 ? run.nearMisses[0] : undefined;
  if (miss === undefined) return marks;
  for (const [, name] of miss.matched) marks.set(name, { word: "fits", tone: "idle", faint: true });
  for (const leak of miss.leaks) {
    marks.set(leak.node, { word: "leaks", tone: "warn", faint: false });
    for (const user of leak.users) if (!marks.has(user)) marks.set(user, { word: "uses it", tone: "warn", faint: true });
  }
  if (miss.graph_node !== null) marks.set(miss.graph_node, { word: "differs", tone: "fail", faint: false });
  return marks;
}

/** Marks on the rewritten graph: what the passes put in. */
export function marksAfter(newNodes: readonly string[], isCall: (name: string) => boolean): Marks {
  const mark = (name: string): Mark => ({ word: isCall(name) ? "yours" : "output", tone: "correct", faint: !isCall(name) });
  return new Map(newNodes.map((name) => [name, mark(name)]));
}

/** Marks of a result that belongs to older code: still there, no longer loud. */
export function faded(marks: Marks): Marks {
  return new Map([...marks].map(([name, mark]) => [name, { ...mark, tone: "idle", faint: true }]));
}
