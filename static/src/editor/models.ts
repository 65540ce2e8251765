/** One Monaco model for each file, for the life of the page: undo outlives tabs, deletions and renames, and the page itself. */

import { effect } from "@preact/signals";
import type { Files } from "../api";
import { accountName } from "../lib/account";
import { files, renames, setText } from "../workbench/draft";
import { slug } from "../workbench/session";
import { smallestEdit } from "./edits";
import { monaco } from "./monaco";
import { noted, Pasts, texts } from "./past";

type Model = monaco.editor.ITextModel;

const models = new Map<string, Model>();
let count = 0;
let renamesSeen = 0;
/** True while the draft is being written into models, so that it is not written back. */
let writing = false;
let mainEditor: monaco.editor.ICodeEditor | null = null;

/** Edits of the file in view go through its editor, so that its caret and undo take part. */
export function setMainEditor(editor: monaco.editor.ICodeEditor | null): void {
  mainEditor = editor;
}

export function modelOf(name: string): Model | null {
  const text = files.peek()[name];
  if (text === undefined) return null;
  let model = models.get(name);
  if (model === undefined) {
    // Files are numbered, not named, so that a rename keeps its model.
    const before = texts(known().of(name), text);
    model = monaco.editor.createModel(before[0]!, name.endsWith(".json") ? "json" : "python", monaco.Uri.parse(`inmemory://pass/${++count}/${encodeURIComponent(name)}`));
    for (const next of before.slice(1)) write(model, next);
    if (model.getValue() !== text) write(model, text);
    models.set(name, model);
    remember(model, text);
    const made = model;
    model.onDidChangeContent(() => {
      if (writing) return;
      const current = fileOf(made);
      if (current !== null && Object.hasOwn(files.peek(), current)) setText(current, made.getValue());
    });
  }
  return model;
}

let pasts: Pasts | null = null;
const known = (): Pasts => (pasts ??= new Pasts(accountName(), slug.peek(), localStorage));

/** A step of undo for the next page: what was typed without a pause. */
const STEP_MS = 800;

function remember(model: Model, text: string): void {
  let last = text;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const note = (): void => {
    timer = null;
    const [name, now] = [fileOf(model), model.getValue()];
    if (name === null || now === last) return;
    known().keep(name, noted(known().of(name), last, now), Date.now());
    last = now;
  };
  model.onDidChangeContent(() => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(note, STEP_MS);
  });
  window.addEventListener("pagehide", note);
}

export function fileOf(model: Model | null): string | null {
  return [...models].find(([, entry]) => entry === model)?.[0] ?? null;
}

/** Brings a model to a text by the smallest edit, which undo takes back. */
function write(model: Model, text: string): void {
  const edit = smallestEdit(model.getValue(), text);
  if (edit === null) return;
  const start = model.getPositionAt(edit.start);
  const end = model.getPositionAt(edit.end);
  const operation = { range: monaco.Range.fromPositions(start, end), text: edit.text, forceMoveMarkers: true };
  writing = true;
  try {
    if (mainEditor?.getModel() === model) {
      mainEditor.pushUndoStop();
      mainEditor.executeEdits("draft", [operation]);
      mainEditor.pushUndoStop();
    } else {
      model.pushStackElement();
      model.pushEditOperations(null, [operation], () => null);
      model.pushStackElement();
    }
  } finally {
    writing = false;
  }
}

function follow(set: Files): void {
  for (const [from, to] of renames.peek().slice(renamesSeen)) {
    const model = models.get(from);
    if (model === undefined) continue;
    models.delete(from);
    models.set(to, model);
  }
  renamesSeen = renames.peek().length;
  for (const [name, model] of models) {
    const text = set[name];
    if (text !== undefined && text !== model.getValue()) write(model, text);
  }
}

effect(() => follow(files.value));
