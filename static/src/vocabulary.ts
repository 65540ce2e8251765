/** The words of the verdict vocabulary, each with the glyph and the colour it is shown in. */

export type Tone = "correct" | "warn" | "fail" | "violation" | "idle" | "accent";

export interface Word {
  text: string;
  glyph: string;
  tone: Tone;
  /** One sentence for the tooltip: what the word means. */
  means: string;
}

const STATUS: Record<string, Word> = {
  correct: { text: "correct", glyph: "●", tone: "correct", means: "Every output is correct at tolerance t = −5." },
  accuracy: { text: "accuracy", glyph: "▲", tone: "warn", means: "It ran, but some output is not correct at t = −5." },
  no_match: { text: "no match", glyph: "■", tone: "fail", means: "No pass changed this graph." },
  compile_fail: { text: "compile fail", glyph: "■", tone: "fail", means: "The pattern cannot be traced, or the rewritten graph or a kernel does not compile." },
  runtime_fail: { text: "runtime fail", glyph: "■", tone: "fail", means: "The rewritten graph raised, crashed, or ran out of time or memory." },
  eager_fail: { text: "eager fail", glyph: "○", tone: "idle", means: "The graph itself does not run here; this does not count against the pass." },
  rejected: { text: "rejected", glyph: "◆", tone: "violation", means: "The graph was not evaluated." },
};

const RUN_STATE: Record<string, Word> = {
  queued: { text: "queued", glyph: "○", tone: "idle", means: "Waiting for a device." },
  leased: { text: "leased", glyph: "○", tone: "idle", means: "A worker has taken the run." },
  running: { text: "running", glyph: "◐", tone: "accent", means: "The run is being judged." },
  done: { text: "done", glyph: "●", tone: "idle", means: "The run was judged to its end." },
  cancelled: { text: "cancelled", glyph: "○", tone: "idle", means: "Stopped by hand; what was measured until then is kept." },
  infrastructure_error: { text: "infrastructure error", glyph: "■", tone: "fail", means: "The workbench failed, not the pass. This never counts against an author." },
};

const INTEGRITY: Record<string, Word> = {
  clean: { text: "clean", glyph: "●", tone: "correct", means: "No integrity finding that weighs." },
  suspicious: { text: "suspicious", glyph: "▲", tone: "warn", means: "Scored, and waits for a review." },
  violation: { text: "violation", glyph: "◆", tone: "violation", means: "A violation rejects every graph of the run." },
  note: { text: "note", glyph: "○", tone: "idle", means: "Worth knowing; changes nothing." },
};

const SPEED: Record<string, Word> = {
  faster: { text: "faster", glyph: "●", tone: "correct", means: "The 95 % interval of the ratio lies above 1." },
  slower: { text: "slower", glyph: "▲", tone: "warn", means: "The 95 % interval of the ratio lies below 1." },
  same: { text: "same", glyph: "=", tone: "idle", means: "The 95 % interval of the ratio contains 1 and is as narrow as asked." },
  inconclusive: { text: "inconclusive", glyph: "○", tone: "idle", means: "The interval stayed wider than asked within the time budget; the median still counts." },
};

function look(table: Record<string, Word>, key: string): Word {
  return Object.hasOwn(table, key) ? table[key]! : { text: words(key), glyph: "○", tone: "idle", means: words(key) };
}

/** "output_limit" → "output limit". */
export function words(key: string): string {
  return key.replaceAll("_", " ");
}

export const statusWord = (status: string): Word => look(STATUS, status);
export const runStateWord = (state: string): Word => look(RUN_STATE, state);
export const speedWord = (word: string): Word => look(SPEED, word);
export const integrityWord = (verdict: string): Word => look(INTEGRITY, verdict);

/** A run in one of these states says nothing more. */
export function isFinal(state: string | null): boolean {
  return state === "done" || state === "cancelled" || state === "infrastructure_error";
}
