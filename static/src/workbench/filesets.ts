/** Replacing the whole draft by another set of files: asked for first, and undone in one click. */

import { signal } from "@preact/signals";
import type { Files } from "../api";
import { api } from "../api";
import { sameFiles } from "../editor/edits";
import { plural } from "../format";
import { openDialog } from "./dialogs";
import { files, setFiles } from "./draft";
import { notify } from "./notices";
import { history, shown } from "./runs";
import { slug } from "./session";
import { valueOf } from "../lib/load";

function replace(next: Files, what: string): void {
  const before = files.value;
  setFiles(next);
  notify(`${what} opened.`, { action: { label: "Undo", run: () => setFiles(before) } });
}

function offer(next: Files, title: string, what: string): void {
  if (sameFiles(next, files.value)) {
    notify(`The editor already holds ${what[0]!.toLowerCase()}${what.slice(1)}.`);
    return;
  }
  const count = plural(Object.keys(files.value).length, "file");
  openDialog({
    kind: "confirm", title, confirm: "Replace the draft",
    text: `The ${count} in the editor will be replaced. The draft as it is now stays one Undo away, and every run keeps the files it was started with.`,
    run: () => replace(next, what),
  });
}

const complain = (problem: unknown): void => notify(problem instanceof Error ? problem.message : String(problem), { tone: "fail" });

export async function openExample(): Promise<void> {
  try {
    const { files: example } = await api.example(slug.value);
    offer(example, "Open the worked example?", "The worked example");
  } catch (problem) {
    complain(problem);
  }
}

export interface Compared {
  files: Files;
  /** "revision 3", for the middle of a sentence. */
  what: string;
}

/** What the editor's files are laid beside; null while the editor is in view. */
export const compared = signal<Compared | null>(null);

/** The files a run was started with; `run` null means the shown one. */
export function openHistoryFiles(run: string | null): void {
  withFiles(run, ({ files: found, what }) => offer(found, `Open ${what}?`, `${what[0]!.toUpperCase()}${what.slice(1)}`));
}

/** Lays the editor's files beside those a run was started with. */
export function compareHistoryFiles(run: string | null): void {
  withFiles(run, (found) => (compared.value = found));
}

export function openComparedFiles(): void {
  const shownNow = compared.value;
  if (shownNow === null) return;
  compared.value = null;
  const { files: found, what } = shownNow;
  offer(found, `Open ${what}?`, `${what[0]!.toUpperCase()}${what.slice(1)}`);
}

function withFiles(run: string | null, use: (found: Compared) => void): void {
  const id = run ?? shown.value?.id ?? null;
  if (id === null) {
    notify("No run is shown.");
    return;
  }
  const number = valueOf(history.value)?.find((entry) => entry.run === id)?.revision_number;
  const what = number === undefined ? "the files of this run" : `revision ${number}`;
  api.runFiles(id).then(({ files: found }) => use({ files: found, what }), complain);
}
