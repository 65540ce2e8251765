/** The count beside `def pattern`, from the newest answers. Pure. */

import type { LineNote } from "../editor/annotations";
import type { LiveState } from "./state";
import { tally } from "./state";

/** null while nothing is known about this text: the last run may have something to say then. */
export function liveNote(state: LiveState, pass: string, source: string): LineNote | null {
  const line = source.split("\n").findIndex((text) => /^(?:async\s+)?def\s+pattern\s*\(/.test(text));
  const { hit, answered } = tally(state, pass);
  if (line < 0 || answered === 0 || state.problem !== null) return null;
  const tone = hit === answered ? "correct" : hit === 0 ? "fail" : "idle";
  return { line: line + 1, text: `${tone === "correct" ? "●" : tone === "fail" ? "■" : "○"} matches ${hit}/${answered} graphs as you type`, tone };
}
