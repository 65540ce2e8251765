/** Which row says why, and the reason in so few words that it fits beside a verdict. Pure. */

import { isFinal } from "../vocabulary";
import type { GraphView, RunView } from "./view";

export const REASON_LENGTH = 64;

/** Counts against the pass. A graph that does not run by itself does not. */
function isFailure(graph: GraphView): boolean {
  return graph.status !== null && graph.status !== "correct" && graph.status !== "eager_fail";
}

/** The graph whose row opens by itself when a run has ended; null while it goes on, or when nothing failed. */
export function rowToOpen(view: RunView | null): string | null {
  if (view === null || (view.integrity === null && !isFinal(view.state))) return null;
  return view.graphs.find(isFailure)?.name ?? null;
}

/** The reason that all failing graphs share, shortened; null when they have none, or several. */
export function sharedReason(graphs: readonly GraphView[]): string | null {
  const reasons = new Set(graphs.filter(isFailure).map((graph) => shorten(reasonOf(graph))));
  const [only] = reasons;
  return reasons.size === 1 && only !== undefined && only !== "" ? only : null;
}

/** A near miss says more than that nothing matched. */
function reasonOf(graph: GraphView): string {
  const miss = graph.matches === 0 ? graph.nearMisses[0] : undefined;
  return miss?.message ?? graph.message ?? "";
}

/** The first sentence, without its full stop, cut at a word; of a traceback its last line. Backticks are left out. */
export function shorten(text: string, most = REASON_LENGTH): string {
  const lines = text.trim().split("\n");
  const line = (lines[0]!.startsWith("Traceback") ? lines.at(-1)! : lines[0]!).replaceAll("`", "").trim();
  const sentence = (/^.*?[.!?](?=\s+[\p{Lu}\d])/u.exec(line)?.[0] ?? line).replace(/\.$/, "");
  if (sentence.length <= most) return sentence;
  const cut = sentence.slice(0, most);
  const space = cut.lastIndexOf(" ");
  return `${cut.slice(0, space > most / 2 ? space : most)}…`;
}
