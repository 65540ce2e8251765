/** The Monaco editor of the pass pane: shows the active file's model, its markers and its notes. */

import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { on } from "../lib/hub";
import { markDiagnostics, offerLanguage } from "../language/providers";
import { offerFixes } from "../match/codeActions";
import { live } from "../match/live";
import { liveMarkers } from "../match/markers";
import { liveNote } from "../match/note";
import { followPattern } from "../match/patternSelection";
import { checked } from "../workbench/checks";
import { activeFile, files } from "../workbench/draft";
import { checkMarkers, runMarkers } from "../workbench/problems";
import { shown, stale } from "../workbench/runs";
import type { Marker } from "./annotations";
import { patternNote } from "./annotations";
import { modelOf, setMainEditor } from "./models";
import { EDITOR_OPTIONS, monaco } from "./monaco";

type Editor = monaco.editor.IStandaloneCodeEditor;

export default function EditorHost() {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const editor = monaco.editor.create(host.current!, { ...EDITOR_OPTIONS, model: null, ariaLabel: "Pass file" });
    const states = new Map<string, monaco.editor.ICodeEditorViewState | null>();
    let open = "";
    setMainEditor(editor);
    offerFixes();
    offerLanguage();
    const notes = editor.createDecorationsCollection();
    const flash = editor.createDecorationsCollection();
    const show = (): void => {
      const name = activeFile.value;
      const known = Object.hasOwn(files.value, name);
      const model = known ? modelOf(name) : null;
      if (model !== editor.getModel()) {
        if (open !== "") states.set(open, editor.saveViewState());
        editor.setModel(model);
        open = name;
        editor.restoreViewState(states.get(name) ?? null);
      }
      annotate(name, notes);
    };
    const off = [effect(show), effect(markFindings), markDiagnostics(() => activeFile.value), on("formatFile", () => act(editor, "editor.action.formatDocument")), on("explainName", () => act(editor, "editor.action.showHover")), followPattern(editor), on("revealPlace", ({ file, line }) => goTo(editor, file, line, flash))];
    return () => {
      off.forEach((undo) => undo());
      setMainEditor(null);
      editor.dispose();
    };
  }, []);
  return <div class="editor-host" ref={host} />;
}

function goTo(editor: Editor, file: string, line: number, flash: monaco.editor.IEditorDecorationsCollection): void {
  if (!Object.hasOwn(files.peek(), file)) return;
  activeFile.value = file;
  requestAnimationFrame(() => {
    editor.revealLineInCenterIfOutsideViewport(line);
    editor.setPosition({ lineNumber: line, column: editor.getModel()?.getLineFirstNonWhitespaceColumn(line) ?? 1 });
    editor.focus();
    flash.set([{ range: new monaco.Range(line, 1, line, 1), options: { isWholeLine: true, className: "line-selected" } }]);
    const clear = editor.onDidChangeCursorPosition(() => {
      flash.clear();
      clear.dispose();
    });
  });
}

/** Monaco's own actions want the keyboard to be in the editor. */
function act(editor: Editor, action: string): void {
  editor.focus();
  editor.trigger("passnet", action, {});
}

function annotate(name: string, notes: monaco.editor.IEditorDecorationsCollection): void {
  const run = shown.value;
  const model = modelOf(name);
  if (model === null) return;
  // Line numbers of older code point at the wrong lines: without a run of this code there is nothing to note.
  setMarkers(model, "run", runMarkers.value.filter((marker) => marker.file === name));
  setMarkers(model, "match", liveMarkers.value.filter((marker) => marker.file === name));
  const [pass, source] = [name.replace(/\.py$/, ""), files.value[name] ?? ""];
  const note = liveNote(live.value, pass, source) ?? (run === null || stale.value ? null : patternNote(run.view, pass, source));
  if (note === null) notes.clear();
  else {
    const end = model.getLineMaxColumn(note.line);
    notes.set([{
      range: new monaco.Range(note.line, end, note.line, end),
      options: { after: { content: `   ${note.text}`, inlineClassName: `line-note ${note.tone}` }, showIfCollapsed: true },
    }]);
  }
}

/** What the check while typing has found. Between two answers Monaco moves the marks with the text. */
function markFindings(): void {
  const name = activeFile.value;
  const model = modelOf(name);
  const answer = checked.value;
  if (model === null || answer === null || answer.files[name] !== model.getValue()) return;
  setMarkers(model, "integrity", checkMarkers.value.filter((marker) => marker.file === name));
}

const SEVERITY: Record<Marker["severity"], monaco.MarkerSeverity> = {
  error: monaco.MarkerSeverity.Error, warning: monaco.MarkerSeverity.Warning, info: monaco.MarkerSeverity.Info,
};

function setMarkers(model: monaco.editor.ITextModel, owner: string, markers: readonly Marker[]): void {
  const within = markers.filter((marker) => marker.line >= 1 && marker.line <= model.getLineCount());
  monaco.editor.setModelMarkers(model, owner, within.map((marker) => ({
    severity: SEVERITY[marker.severity], message: marker.message, source: owner, startLineNumber: marker.line, endLineNumber: marker.line,
    startColumn: model.getLineFirstNonWhitespaceColumn(marker.line) || 1, endColumn: model.getLineMaxColumn(marker.line),
  })));
}
