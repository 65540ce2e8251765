/** Which rows are open, and the one that the page's address names. */

import { computed, signal } from "@preact/signals";
import { rowToOpen } from "../run/reason";
import { shown } from "../workbench/runs";
import { showGraph } from "../workbench/session";

/** Rows opened by hand, by graph, and the run in which that was last done. */
const byHand = signal<{ run: string | null; rows: ReadonlySet<string> }>({ run: null, rows: new Set() });

/** The row opened last, for the page's address. */
export const linkedRow = signal<string | null>(null);

/** Beside those opened by hand the first row that failed, once the run has ended, unless it was seen to by hand. */
export const opened = computed<ReadonlySet<string>>(() => {
  const { run, rows } = byHand.value;
  const first = shown.value === null || shown.value.id === run ? null : rowToOpen(shown.value.view);
  return first === null ? rows : new Set(rows).add(first);
});

export function toggleRow(name: string): void {
  const next = new Set(opened.value);
  const closed = next.delete(name);
  if (!closed) next.add(name);
  linkedRow.value = closed ? ([...next].at(-1) ?? null) : name;
  byHand.value = { run: shown.value?.id ?? null, rows: next };
}

/** Has the page's address name a row that is open: of several it names one. */
export function linkRow(name: string): void {
  showGraph(name);
  linkedRow.value = name;
}

/** Opens a row, unless it is, and brings it into sight. */
export function openRow(name: string): void {
  if (!opened.value.has(name)) toggleRow(name);
  linkedRow.value = name;
  wanted.value = name;
}

/** Opens the row that a link names; it is brought into sight once it is drawn. */
export function openLinkedRow(name: string | null): void {
  if (name === null) return;
  byHand.value = { run: null, rows: new Set([name]) };
  linkedRow.value = name;
  wanted.value = name;
}

/** The row to be brought into sight once it is drawn. */
export const wanted = signal<string | null>(null);
