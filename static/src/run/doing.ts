/** What a graph is at while it is judged, and for how long. Pure. */

import { clock } from "../format";
import type { GraphView, Phase } from "./view";

const DOING: Record<Phase, string> = {
  waiting: "waiting", started: "matching", matched: "rewriting", rewritten: "compiling", compiled: "comparing", compared: "comparing", timed: "timing", done: "done",
};

/** Seconds from which a clock is shown, and from which a first call is said to be slow. */
const CLOCK_FROM = 1;
export const SLOW_CALL = 5;

/** "compiling 3.2 s", later "first call running 7 s, ended at 20 s". `limit`: seconds a call may take, if known. */
export function doing(graph: GraphView, limit: number | null, now: number): string {
  const seconds = graph.phaseAt === null ? 0 : (now - graph.phaseAt) / 1000;
  if (graph.phase === "rewritten" && seconds >= SLOW_CALL) {
    return `first call running ${clock(Math.floor(seconds)).replace(".0", "")}${limit === null ? "" : `, ended at ${limit} s`}`;
  }
  return seconds < CLOCK_FROM ? DOING[graph.phase] : `${DOING[graph.phase]} ${clock(seconds)}`;
}
