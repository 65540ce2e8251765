/** The newest answer, laid over the graph in view: what matches, or how the nearest miss lies on it. */

import { computed } from "@preact/signals";
import type { NearMiss } from "../events";
import type { Mark, Marks } from "../graph/marks";
import { activeFile } from "../workbench/draft";
import { graphName, side } from "../workbench/session";
import { live } from "./live";
import type { GraphAnswer } from "./state";
import { isEarlier } from "./state";

export interface Overlay {
  /** Nodes of the graph, one set for each match. */
  matched: Set<string>[];
  /** The first node that differs. */
  first: string | null;
  /** Nodes whose value leaves the pattern unseen, and the nodes that use it. */
  leaking: Set<string>;
  users: Set<string>;
  /** Graph node → the pattern's node that lies on it. */
  laid: Map<string, string>;
  /** It is about a text before the one in the editor. */
  earlier: boolean;
}

/** The answer for the graph in view. */
export const answerInView = computed<GraphAnswer | null>(() => {
  const name = graphName.value;
  return name !== null && Object.hasOwn(live.value.answers, name) ? live.value.answers[name]! : null;
});

/** The miss that is drawn, where nothing matches: that of the file in the editor, whose text its fixes change; else the nearest. */
export function missOf(answer: GraphAnswer, file: string): NearMiss | null {
  if (answer.matches > 0) return null;
  return answer.nearMisses.find((miss) => `${miss.pass_name}.py` === file) ?? answer.nearMisses[0] ?? null;
}

export const missInView = computed<NearMiss | null>(() => {
  const answer = answerInView.value;
  return answer === null ? null : missOf(answer, activeFile.value);
});

export const overlay = computed<Overlay | null>(() => {
  const answer = answerInView.value;
  if (answer === null || side.value !== "before") return null;
  return overlayOf(answer, isEarlier(live.value, answer), missInView.value);
});

export const liveMarks = computed<Marks | null>(() => (overlay.value === null ? null : marksOf(overlay.value)));

export function overlayOf(answer: GraphAnswer, earlier: boolean, miss: NearMiss | null): Overlay {
  return {
    matched: answer.nodes.map((names) => new Set(names)),
    first: miss?.graph_node ?? null,
    leaking: new Set(miss?.leaks.map((leak) => leak.node)),
    users: new Set(miss?.leaks.flatMap((leak) => leak.users)),
    laid: new Map(miss?.matched.map(([pattern, node]) => [node, pattern])),
    earlier,
  };
}

/** Later ones win: a node that leaks fits, too. */
export function marksOf(over: Overlay): Marks {
  const marks = new Map<string, Mark>();
  const put = (name: string, word: string, tone: Mark["tone"], faint: boolean): void => {
    marks.set(name, over.earlier ? { word, tone: "idle", faint: true, live: true } : { word, tone, faint, live: true });
  };
  over.matched.forEach((names, index) => {
    for (const name of names) put(name, over.matched.length > 1 ? `match ${index + 1}` : "matches", "correct", false);
  });
  for (const [name, pattern] of over.laid) put(name, `fits ${pattern}`, "accent", true);
  for (const name of over.users) put(name, "uses it", "warn", true);
  for (const name of over.leaking) put(name, "leaks", "warn", false);
  if (over.first !== null && !over.leaking.has(over.first)) put(over.first, "differs", "fail", false);
  return marks;
}
