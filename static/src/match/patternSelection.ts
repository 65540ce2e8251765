/** The pass editor's part in the one selection: selected nodes mark their lines of `pattern`, the caret selects their nodes. */

import { computed, effect } from "@preact/signals";
import { monaco } from "../editor/monaco";
import { runOfGraph } from "../graph/drawing";
import { select, selected } from "../graph/selection";
import { placeOfNearMiss } from "../run/locate";
import { activeFile, files } from "../workbench/draft";
import { stale } from "../workbench/runs";
import { side } from "../workbench/session";
import { live } from "./live";
import { answerInView, missInView } from "./overlay";
import { isEarlier, passOfMatch } from "./state";

/** Node of the graph in view → 1-based line of the open file. Empty for a text that nothing is known about. */
const lines = computed<ReadonlyMap<string, number>>(() => {
  const found = new Map<string, number>();
  const answer = answerInView.value;
  const file = activeFile.value;
  if (side.value !== "before") return found;
  const known = answer !== null ? (isEarlier(live.value, answer) ? null : answer) : stale.value ? null : runOfGraph.value;
  if (known === null) return found;
  known.lines.forEach((ofMatch, index) => {
    if (`${passOfMatch(known.perPass, index)}.py` !== file) return;
    for (const [name, line] of Object.entries(ofMatch)) found.set(name, line);
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
