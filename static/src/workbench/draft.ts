/** The files being written, and what the server has of them. The editor shows these; it does not own them. */

import { computed, signal } from "@preact/signals";
import type { Files } from "../api";
import { api } from "../api";
import type { SaveState } from "../editor/autosave";
import { Autosave } from "../editor/autosave";
import { browserBackup, newestKept } from "../editor/backup";
import { sameFiles } from "../editor/edits";
import { freeName, isPass, ORDER_FILE, parseOrder, writeOrder } from "../editor/order";
import { accountName } from "../lib/account";
import type { Load } from "../lib/load";
import { failed, LOADING, ready } from "../lib/load";
import { notify } from "./notices";
import { slug } from "./session";

export const files = signal<Files>({});
export const activeFile = signal<string>("");
export const draft = signal<Load<true>>(LOADING);
export const saveState = signal<SaveState>({ kind: "saved", at: null });
const saved = signal<{ files: Files; hash: string }>({ files: {}, hash: "" });
/** What the last run was started with, so that its result is known to be current before the draft is saved. */
export const submitted = signal<{ files: Files; hash: string } | null>(null);

/** Hash of the files in the editor; null while it is not known (typed, not saved yet). */
export const currentHash = computed<string | null>(() => {
  if (sameFiles(files.value, saved.value.files)) return saved.value.hash || null;
  if (submitted.value !== null && sameFiles(files.value, submitted.value.files)) return submitted.value.hash;
  return null;
});

/** A new draft as it was handed out: a text to start from, which nobody has written. */
export const untouched = computed(
  () => draft.value.status === "ready" && saveState.value.kind === "saved" && saveState.value.at === null && sameFiles(files.value, saved.value.files),
);

export const order = computed(() => parseOrder(files.value[ORDER_FILE]));

let autosave: Autosave | null = null;

export async function openDraft(): Promise<void> {
  draft.value = LOADING;
  try {
    const found = await api.draft(slug.value);
    const backup = browserBackup(accountName(), slug.value);
    autosave = new Autosave(found, {
      save: (text, version) => api.saveDraft(slug.value, text, version),
      backup,
      onState: (state) => {
        saveState.value = state;
        if (autosave !== null) saved.value = { files: autosave.saved, hash: autosave.hash };
      },
      now: () => new Date().toISOString(),
    });
    saved.value = { files: found.files, hash: found.hash };
    saveState.value = { kind: "saved", at: found.updated_at };
    files.value = found.files;
    activeFile.value = firstFile(found.files);
    draft.value = ready(true);
    restore(found);
  } catch (problem) {
    draft.value = failed(problem);
  }
}

/** Text that a crash or an outage left in this browser. */
function restore(found: { files: Files; version: number }): void {
  const kept = newestKept(accountName(), slug.value, localStorage, Date.now());
  if (kept === null) return;
  localStorage.removeItem(kept.key);
  if (sameFiles(kept.kept.files, found.files)) return;
  setFiles(kept.kept.files);
  const action = { label: "Use the server's", run: () => setFiles(found.files) };
  const older = kept.kept.version < found.version ? " The server's copy was saved since by another page." : "";
  notify(`Unsaved text from this browser was restored.${older}`, { action });
}

function firstFile(set: Files): string {
  const first = parseOrder(set[ORDER_FILE]).names?.map((name) => `${name}.py`).find((name) => Object.hasOwn(set, name));
  return first ?? Object.keys(set).sort()[0] ?? "";
}

/** Every change of the draft goes through here. */
export function setFiles(next: Files): void {
  files.value = next;
  if (!Object.hasOwn(next, activeFile.value)) activeFile.value = firstFile(next);
  autosave?.changed(next);
}

export function setText(name: string, text: string): void {
  if (files.value[name] !== text) setFiles({ ...files.value, [name]: text });
}

export function setOrder(names: readonly string[]): void {
  setText(ORDER_FILE, writeOrder(names));
}

export const flushDraft = (): Promise<void> => autosave?.flush() ?? Promise.resolve();
export const resolveConflict = (next: Files): void => {
  setFiles(next);
  autosave?.resolve(next);
};

export function newFileName(): string {
  return freeName(Object.keys(files.value));
}

const NEW_PASS = `import torch
import triton
import triton.language as tl


def pattern(x):
    """The part of the graph to replace, written like model.py."""
    return x


def replacement_args(x):
    return (x,)


@torch.fx.wrap
def launch(x):
    return x


def replacement_func():
    return launch
`;

export function addFile(name: string): void {
  const names = order.value.names;
  const withOrder = names === null ? {} : { [ORDER_FILE]: writeOrder([...names, name.replace(/\.py$/, "")]) };
  setFiles({ ...files.value, [name]: NEW_PASS, ...withOrder });
  activeFile.value = name;
}

/** Also renames it in the order list; imports in other files stay the author's to change. */
export function renameFile(from: string, to: string): void {
  const stem = (name: string): string => name.replace(/\.py$/, "");
  const next = Object.fromEntries(Object.entries(files.value).map(([name, text]) => [name === from ? to : name, text]));
  const names = order.value.names;
  if (names?.includes(stem(from))) next[ORDER_FILE] = writeOrder(names.map((name) => (name === stem(from) ? stem(to) : name)));
  const wasActive = activeFile.value === from;
  renames.value = [...renames.value, [from, to]];
  if (wasActive) activeFile.value = to;
  setFiles(next);
}

/** The editor keeps a renamed file's model, and with it its undo, by reading this list. */
export const renames = signal<[string, string][]>([]);

export function removeFile(name: string): void {
  const before = files.value;
  const { [name]: _, ...rest } = before;
  const stem = name.replace(/\.py$/, "");
  const names = order.value.names;
  if (names?.includes(stem)) rest[ORDER_FILE] = writeOrder(names.filter((entry) => entry !== stem));
  setFiles(rest);
  const undo = (): void => {
    const back: Files = { ...files.value, [name]: before[name]! };
    if (files.value[ORDER_FILE] === rest[ORDER_FILE] && before[ORDER_FILE] !== undefined) back[ORDER_FILE] = before[ORDER_FILE];
    setFiles(back);
    activeFile.value = name;
  };
  notify(`Deleted ${name}.`, { action: { label: "Undo", run: undo } });
}

/** Files that are handed in as passes by the order list, else everything that looks like one. */
export function passNames(): string[] {
  return order.value.names ?? Object.keys(files.value).filter((name) => isPass(name, files.value[name]!)).map((name) => name.replace(/\.py$/, ""));
}
