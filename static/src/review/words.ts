/** Words of the queue, each with its glyph and colour. */

import type { Word } from "../vocabulary";

const GROUPS: Record<string, Pick<Word, "glyph" | "tone">> = {
  accuracy: { glyph: "▲", tone: "warn" },
  boundary: { glyph: "▲", tone: "warn" },
  fusion: { glyph: "▲", tone: "warn" },
  integrity: { glyph: "◆", tone: "violation" },
  harness: { glyph: "○", tone: "idle" },
};

export function groupLook(group: string): Pick<Word, "glyph" | "tone"> {
  return Object.hasOwn(GROUPS, group) ? GROUPS[group]! : { glyph: "■", tone: "fail" };
}

export interface Decision {
  key: "confirm" | "overturn" | "harness_fault" | "duplicate";
  word: string;
  done: string;
  keys: string;
  means: string;
}

export const DECISIONS: readonly Decision[] = [
  { key: "confirm", word: "Confirm", done: "confirmed", keys: "c", means: "The failure stands. A suspicion becomes a violation; say why." },
  { key: "overturn", word: "Overturn", done: "overturned", keys: "o", means: "No violation: both verdicts stay on record. The author reads the reason." },
  { key: "harness_fault", word: "Harness fault", done: "harness fault", keys: "h", means: "The harness is wrong: it becomes a regression case." },
  { key: "duplicate", word: "Duplicate", done: "duplicate", keys: "d", means: "The same as the first one of its cause." },
];

const STEPS: Record<string, string> = { open: "opened again", label: "labelled", unlabel: "took a label off", assign: "assigned", note: "changed the note" };

/** "confirmed", "labelled": what a step did. */
export function stepWord(what: string): string {
  return DECISIONS.find((one) => one.key === what)?.done ?? STEPS[what] ?? what.replaceAll("_", " ");
}

export const STATES: readonly (readonly [string, string])[] = [["", "open"], ["decided", "decided"], ["confirm", "confirmed"], ["overturn", "overturned"], ["harness_fault", "harness faults"], ["duplicate", "duplicates"], ["any", "all"]];

/** "no match · another operator" */
export function causeName(row: { cause: string; kind_name: string }): string {
  return row.kind_name === "" ? row.cause : `${row.cause} · ${row.kind_name}`;
}
