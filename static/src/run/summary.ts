/** The verdict in one line, and the clocks of the stages. Pure. */

import { firstT, plural } from "../format";
import type { Tone } from "../vocabulary";
import { integrityWord, isFinal, statusWord, words } from "../vocabulary";
import { sharedReason } from "./reason";
import type { GraphView, RunView, StageName } from "./view";

export interface Summary {
  tone: Tone;
  glyph: string;
  /** "correct on 4 of 5 graphs" */
  headline: string;
  /** "first t −6", "launches 25 → 5", "suspicious" */
  details: string[];
}

export function summarise(view: RunView | null): Summary {
  if (view === null || (view.state === null && view.seq === 0)) {
    return { tone: "idle", glyph: "○", headline: "not run yet", details: [] };
  }
  const total = view.graphs.length;
  const done = view.graphs.filter((graph) => graph.phase === "done");
  const correct = done.filter((graph) => graph.status === "correct").length;
  if (view.state === "infrastructure_error") {
    return { tone: "fail", glyph: "■", headline: "infrastructure error, not the fault of the pass", details: view.message ? [view.message] : [] };
  }
  if (view.integrity === null && !isFinal(view.state)) {
    // What a pass does with other values and shapes is tried when every graph has its status.
    if (total > 0 && done.length === total) return { tone: "accent", glyph: "◐", headline: `correct on ${correct} of ${plural(total, "graph")}`, details: ["trying other inputs"] };
    const headline = view.stages.graphs.start === null ? stageWord(view) : `judging graph ${done.length + 1} of ${total}`;
    return { tone: "accent", glyph: "◐", headline, details: done.length > 0 ? [`correct on ${correct} so far`] : [] };
  }
  if (view.state === "cancelled") {
    return { tone: "idle", glyph: "○", headline: "cancelled", details: [done.length === 0 ? "before a graph was judged" : `correct on ${correct} of ${plural(done.length, "graph")} judged before`] };
  }
  const all = total > 0 && correct === total;
  const counted = `correct on ${correct} of ${plural(total, "graph")}`;
  const shared = sharedReason(done);
  const why = shared === null ? [] : [shared];
  const reason = total > 0 && done.every((graph) => graph.status === "rejected") ? done[0]?.reason : null;
  if (reason) return { tone: "violation", glyph: "◆", headline: `rejected, ${words(reason)}`, details: [...why, counted] };
  return {
    tone: all ? "correct" : correct > 0 ? "warn" : "fail",
    glyph: all ? "●" : correct > 0 ? "▲" : "■",
    headline: counted,
    details: [...failures(done), ...why, ...worstT(view.graphs), ...launchTotals(view.graphs), ...(view.aggregateScore === null ? [] : [`AS ${view.aggregateScore.toFixed(2)}`]), ...(view.integrity ? [integrityWord(view.integrity).text] : [])],
  };
}

/** "no match 3", "runtime fail 1": what became of the graphs that are not correct. */
function failures(done: readonly GraphView[]): string[] {
  const counts = new Map<string, number>();
  for (const { status } of done) if (status !== null && status !== "correct") counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${statusWord(status).text} ${count}`);
}

function stageWord(view: RunView): string {
  if (view.state === "queued") return "queued";
  if (view.stages.check.start === null) return "starting";
  return view.stages.check.end === null ? "static check" : "loading the pass";
}

function worstT(graphs: readonly GraphView[]): string[] {
  const ran = graphs.filter((graph) => graph.status === "correct" || graph.status === "accuracy");
  if (ran.length === 0) return [];
  if (ran.some((graph) => graph.firstT === null)) return ["first t –"];
  return [`first t ${firstT(Math.max(...ran.map((graph) => graph.firstT!)))}`];
}

function launchTotals(graphs: readonly GraphView[]): string[] {
  let eager = 0;
  let yours = 0;
  for (const { launches } of graphs) {
    if (typeof launches?.["eager"] !== "number" || typeof launches["candidate"] !== "number") continue;
    eager += launches["eager"];
    yours += launches["candidate"];
  }
  return eager === 0 ? [] : [`launches ${eager} → ${yours}`];
}

/** Seconds a stage took, or has taken until `now`; null when it has not begun. */
export function stageSeconds(view: RunView, name: StageName, now: number): number | null {
  const { start, end } = view.stages[name];
  if (start === null) return null;
  return Math.max(0, ((end ?? now) - start) / 1000);
}
