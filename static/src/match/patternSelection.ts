/** The pass editor's part in the one selection: selected nodes mark their lines of `pattern`, the caret selects their nodes. */

import { computed, effect } from "@preact/signals";
import { monaco } from "../editor/monaco";
import { runOfGraph } from "../graph/drawing";
import { select, selected } from "../graph/selection";
import { patternBody, placeOfNearMiss } from "../run/locate";
import { valueOf } from "../lib/load";
import { activeFile, files } from "../workbench/draft";
import { stale } from "../workbench/runs";
import { graphName, graphs, side } from "../workbench/session";
import { live } from "./live";
import { answerInView, missInView } from "./overlay";
import { linesOfNodes, passOfMatch } from "./patternLines";
import { isEarlier } from "./state";

/** Node of the graph in view → 1-based line of the open file. Empty for a text that nothing is known about. */
const lines = computed<ReadonlyMap<string, number>>(() => {
  const found = new Map<string, number>();
  const graph = valueOf(graphs.value[graphName.value ?? ""]);
  const answer = answerInView.value;
  const file = activeFile.value;
  const body = patternBody(files.value[file] ?? "");
  if (graph === null || side.value !== "before" || body === null) return found;
  const known = answer !== null ? (isEarlier(live.value, answer) ? null : answer) : stale.value ? null : runOfGraph.value;
  if (known === null) return found;
  const matches = "nodes" in known ? known.nodes : known.matchedNodes;
  matches.forEach((names, index) => {
    if (`${passOfMatch(known.perPass, index)}.py` !== file) return;
    const inside = new Set(names);
    for (const [name, line] of linesOfNodes(graph.nodes.filter((node) => inside.has(node.name)), body)) found.set(name, line + 1);
  });
  const miss = missInView.value;
  if (miss?.graph_node != null) {
    const place = placeOfNearMiss(miss, files.value);
    if (place?.file === file) found.set(miss.graph_node, place.line);
  }
  return found;
});

/** Ends with the function it returns. */
export function followPattern(editor: monaco.editor.IStandaloneCodeEditor): () => void {
  const marked = editor.createDecorationsCollection();
  const off = effect(() => {
    const at = new Set([...selected.value].flatMap((name) => lines.value.get(name) ?? []));
    marked.set([...at].map((line) => ({ range: new monaco.Range(line, 1, line, 1), options: { isWholeLine: true, className: "line-selected", linesDecorationsClassName: "line-selected-edge" } })));
  });
  const caret = editor.onDidChangeCursorPosition(({ position, reason }) => {
    // A click or an arrow key; whoever types is not looking for a node.
    if (reason !== monaco.editor.CursorChangeReason.Explicit || !editor.hasTextFocus() || editor.getSelection()?.isEmpty() === false) return;
    const names = [...lines.peek()].flatMap(([name, line]) => (line === position.lineNumber ? [name] : []));
    if (names.length > 0 && !names.every((name) => selected.peek().has(name))) select(names);
  });
  return () => {
    off();
    caret.dispose();
  };
}
