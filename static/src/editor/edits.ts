/** Text changes as the smallest single edit, so that the editor's undo, carets and folds survive them. */

import type { Files } from "../api";

export interface Edit {
  /** UTF-16 offsets into the old text; the end is exclusive. */
  start: number;
  end: number;
  text: string;
}

export function smallestEdit(before: string, after: string): Edit | null {
  if (before === after) return null;
  const limit = Math.min(before.length, after.length);
  let start = 0;
  while (start < limit && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let tail = 0;
  while (tail < limit - start && before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)) tail++;
  return { start, end: before.length - tail, text: after.slice(start, after.length - tail) };
}

export function sameFiles(a: Files, b: Files): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && a[name] === b[name]);
}

/** Names of files that differ between two sets, including those only one of them has. */
export function differing(a: Files, b: Files): string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => a[name] !== b[name]).sort();
}
