/** Drafting a pass for the selected nodes: asks the server, adds the file, and keeps what there is to say about it. */

import { computed, signal } from "@preact/signals";
import type { Files } from "../api";
import { api, ApiError } from "../api";
import { ORDER_FILE } from "../editor/order";
import { focusPane } from "../frame/frame";
import { select, selected } from "../graph/selection";
import { activeFile, draft, files, setFiles, untouched } from "../workbench/draft";
import { notify } from "../workbench/notices";
import { live } from "../match/live";
import { graphName, graphNames, side, slug } from "../workbench/session";
import type { Drafted } from "./files";
import { withDraft, withoutDraft } from "./files";

export type Outcome =
  /** `instead`: the text to start from that nobody had written, and whose place the pass took. */
  | { kind: "made"; graph: string; file: string; made: Drafted; nodes: string[]; instead: Files | null; also: readonly Also[] | null }
  | { kind: "refused"; graph: string; message: string; nodes: string[] };

/** What the same nodes of another graph became; `file` is null where a pass for them was there already, or none can be. */
export interface Also {
  graph: string;
  file: string | null;
  text: string;
  problem: string | null;
}

export const busy = signal(false);
export const outcome = signal<Outcome | null>(null);

/** Why nothing can be drafted now; null when something can. */
export const obstacle = computed<string | null>(() => {
  if (draft.value.status !== "ready") return "The draft is not loaded yet";
  if (side.value !== "before") return "Select nodes of the graph before the rewrite";
  if (selected.value.size === 0) return "Select nodes on the graph, or lines of its code";
  return busy.value ? "Drafting" : null;
});

export async function draftSelection(): Promise<void> {
  const graph = graphName.value;
  if (obstacle.value !== null || graph === null) return;
  busy.value = true;
  try {
    const nodes = [...selected.value];
    const made = await api.draftPass(slug.value, graph, nodes);
    const instead = untouched.peek() ? files.value : null;
    const added = withDraft(instead === null ? files.value : {}, made);
    setFiles(added.files);
    activeFile.value = added.name;
    outcome.value = { kind: "made", graph, file: added.name, made, nodes, instead, also: null };
    focusPane("pass");
  } catch (problem) {
    const nodes = problem instanceof ApiError && Array.isArray(problem.body["nodes"]) ? problem.body["nodes"].map(String) : [];
    const message = problem instanceof Error ? problem.message : String(problem);
    outcome.value = { kind: "refused", graph, message, nodes };
  } finally {
    busy.value = false;
  }
}

export const closeOutcome = (): void => void (outcome.value = null);

/** Graphs in which nothing matches the text in the editor, once all have answered; empty while that is not known. */
export const unmatched = computed<string[]>(() => {
  const { asked, answers } = live.value;
  const current = graphNames.value.every((name) => answers[name]?.version === asked);
  return current ? graphNames.value.filter((name) => answers[name]!.matches === 0) : [];
});

/**
 * Drafts the same nodes in the graphs that do not match: literals and dtypes are part of a pattern, so that graphs of one
 * form may need a pass each.
 */
export async function draftForOthers(): Promise<void> {
  const start = outcome.value;
  if (start?.kind !== "made" || busy.value) return;
  busy.value = true;
  const found: { graph: string; made: Drafted | null; problem: string | null }[] = [];
  const texts = new Set([comparable(start.made.text)]);
  for (const graph of unmatched.value) {
    try {
      const made = await api.draftPass(slug.value, graph, start.nodes);
      found.push({ graph, made: texts.has(comparable(made.text)) ? null : made, problem: null });
      texts.add(comparable(made.text));
    } catch (problem) {
      found.push({ graph, made: null, problem: problem instanceof Error ? problem.message : String(problem) });
    }
  }
  let next = files.value;
  const also = found.map(({ graph, made, problem }): Also => {
    if (made === null) return { graph, file: null, text: "", problem };
    const added = withDraft(next, made);
    next = added.files;
    return { graph, file: added.name, text: made.text, problem };
  });
  setFiles(next);
  busy.value = false;
  if (outcome.value === start) outcome.value = { ...start, also };
}

/** Spaces do not make another pass. */
const comparable = (text: string): string => text.replace(/\s+/g, " ");

/** Takes the drafted files out again, unless one has been edited. */
export function undoDraft(): void {
  const now = outcome.value;
  if (now?.kind !== "made") return;
  const made = [{ file: now.file, text: now.made.text }, ...(now.also ?? []).flatMap(({ file, text }) => (file === null ? [] : [{ file, text }]))];
  let before = files.value;
  for (const { file, text } of made) {
    const next = withoutDraft(before, file, text);
    if (next === null) {
      notify(`${file} has been edited since. Delete it in its tab if you do not want it.`);
      return;
    }
    before = next;
  }
  setFiles(now.instead !== null && Object.keys(before).every((name) => name === ORDER_FILE) ? now.instead : before);
  closeOutcome();
}

/** The nodes that are in the way, selected on the graph. */
export function showBlamed(): void {
  const now = outcome.value;
  if (now?.kind === "refused") select(now.nodes);
}
