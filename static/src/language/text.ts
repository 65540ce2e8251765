/** Texts as a language server counts them: lines from 0, columns in UTF-16 units, as Monaco's columns less one. Pure. */

import { smallestEdit } from "../editor/edits";

export interface Place {
  line: number;
  character: number;
}

export interface Span {
  start: Place;
  end: Place;
}

export type Change = { range: Span; text: string } | { text: string };

export function placeOf(text: string, offset: number): Place {
  let line = 0;
  let start = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) {
    line += 1;
    start = at + 1;
  }
  return { line, character: offset - start };
}

/** What turns one text into another; the whole text where other line ends than "\n" are about. */
export function changesBetween(before: string, after: string): Change[] {
  if (before.includes("\r") || after.includes("\r")) return before === after ? [] : [{ text: after }];
  const edit = smallestEdit(before, after);
  return edit === null ? [] : [{ range: { start: placeOf(before, edit.start), end: placeOf(before, edit.end) }, text: edit.text }];
}
