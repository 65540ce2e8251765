/** Quick fixes of a near miss: edits of the pass's own file, through the editor, so that undo takes them back. */

import type { Files } from "../api";
import type { Edit, Fix, NearMiss } from "../events";
import { tell } from "../lib/hub";
import { activeFile, files, setText } from "../workbench/draft";

/** The text after edits that do not overlap; null where one lies outside of it. Lines from 1, columns from 0. */
export function withEdits(text: string, edits: readonly Edit[]): string | null {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const offset = (line: number, column: number): number => {
    const start = starts[line - 1];
    const end = (starts[line] ?? text.length + 1) - 1;
    return start === undefined || start + column > end ? -1 : start + column;
  };
  const placed = edits.map((edit, index) => ({ start: offset(edit.line, edit.column), end: offset(edit.end_line, edit.end_column), text: edit.text, index }));
  if (placed.some(({ start, end }) => start < 0 || end < start)) return null;
  placed.sort((a, b) => b.start - a.start || b.end - a.end || b.index - a.index);
  let limit = text.length;
  let result = text;
  for (const { start, end, text: insert } of placed) {
    if (end > limit) return null;
    result = result.slice(0, start) + insert + result.slice(end);
    limit = start;
  }
  return result;
}

/** The fixes of a miss that can be made now: the file is still the one that was matched. */
export function fixesNow(miss: NearMiss, asked: Files, now: Files): Fix[] {
  const file = `${miss.pass_name}.py`;
  return now[file] !== undefined && asked[file] === now[file] ? (miss.fixes ?? []) : [];
}

/** Makes a fix in the file of its pass, and shows the place. */
export function applyFix(miss: NearMiss, fix: Fix): void {
  const file = `${miss.pass_name}.py`;
  const before = files.value[file];
  const after = before === undefined ? null : withEdits(before, fix.edits);
  if (after === null) return;
  activeFile.value = file;
  setText(file, after);
  const line = fix.edits[0]?.line;
  if (line !== undefined) tell("revealPlace", { file, line });
}
