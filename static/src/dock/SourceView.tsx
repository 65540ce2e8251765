/** Read-only editor over the source of the graph in view; the caret selects nodes, the selected node marks its lines. */

import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { EDITOR_OPTIONS, monaco } from "../editor/monaco";
import { marks } from "../graph/drawing";
import { nodeAtPosition, nodesOnLines, rangeOf } from "../graph/spans";
import { selected, select } from "../graph/selection";
import { selectedNode } from "../workbench/session";
import { shownSource } from "./CodePane";

export default function SourceView() {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const editor = monaco.editor.create(host.current!, {
      ...EDITOR_OPTIONS, model: null, readOnly: true, domReadOnly: true, readOnlyMessage: { value: "model.py is the graph as it was captured. Write the pass beside it." }, ariaLabel: "model.py",
      renderLineHighlight: "none", wordWrap: "on", occurrencesHighlight: "off", folding: false,
    });
    const selection = editor.createDecorationsCollection();
    const marked = editor.createDecorationsCollection();
    const models = new Map<string, monaco.editor.ITextModel>();
    let ours = false;

    const showSource = effect(() => {
      const now = shownSource.value;
      if (now === null) return;
      let model = models.get(now.key);
      if (model === undefined || model.getValue() !== now.source) {
        model?.dispose();
        model = monaco.editor.createModel(now.source, "python");
        models.set(now.key, model);
      }
      if (editor.getModel() !== model) {
        ours = true;
        editor.setModel(model);
        ours = false;
      }
    });
    const showSelection = effect(() => {
      const names = selected.value;
      const nodes = shownSource.value?.nodes.filter((node) => names.has(node.name) && node.span !== null) ?? [];
      selection.set(nodes.flatMap((node) => {
        const range = rangeOf(node.span!);
        return [
          { range, options: { isWholeLine: true, className: "line-selected", linesDecorationsClassName: "line-selected-edge" } },
          { range, options: { inlineClassName: "span-selected" } },
        ];
      }));
      const focus = nodes.find((node) => node.name === selectedNode.value) ?? nodes[0];
      if (focus !== undefined && !editor.hasTextFocus()) editor.revealRangeInCenterIfOutsideViewport(rangeOf(focus.span!));
    });
    const showMarks = effect(() => {
      const now = shownSource.value;
      if (now === null) return;
      marked.set(now.nodes.flatMap((node) => {
        const mark = marks.value.get(node.name);
        if (mark === undefined || node.span === null) return [];
        return [{ range: rangeOf(node.span), options: { isWholeLine: true, linesDecorationsClassName: `line-mark ${mark.tone}`, hoverMessage: { value: `${node.name}: ${mark.word}` } } }];
      }));
    });
    const caret = editor.onDidChangeCursorPosition(({ position, reason }) => {
      if (ours || reason === monaco.editor.CursorChangeReason.ContentFlush || !editor.hasTextFocus()) return;
      const node = nodeAtPosition(shownSource.peek()?.nodes ?? [], position.lineNumber, position.column);
      if (node !== null && editor.getSelection()?.isEmpty() !== false) select([node]);
    });
    const lines = editor.onDidChangeCursorSelection(({ selection: range, reason }) => {
      if (ours || range.isEmpty() || reason === monaco.editor.CursorChangeReason.ContentFlush || !editor.hasTextFocus()) return;
      // A selection that ends before the first character of a line does not mean that line.
      const end = range.endColumn === 1 && range.endLineNumber > range.startLineNumber ? range.endLineNumber - 1 : range.endLineNumber;
      const names = nodesOnLines(shownSource.peek()?.nodes ?? [], range.startLineNumber, end);
      if (end > range.startLineNumber && names.length > 0) select(names);
    });
    return () => {
      for (const stop of [showSource, showSelection, showMarks]) stop();
      caret.dispose();
      lines.dispose();
      editor.dispose();
      for (const model of models.values()) model.dispose();
    };
  }, []);
  return <div class="editor-host" ref={host} />;
}
