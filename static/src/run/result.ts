/** What a run of the history came to, in one word with its glyph. Pure. */

import type { RunSummary } from "../api";
import type { Word } from "../vocabulary";
import { integrityWord, runStateWord, statusWord, words } from "../vocabulary";

type Result = Pick<RunSummary, "state" | "correct" | "total" | "rejected" | "verdict">;

/** "rejected" or "violation" where nothing was evaluated, else how many graphs are correct, else the run's state. */
export function resultWord({ state, correct, total, rejected, verdict }: Result): Word {
  if (state !== "done" || correct === null || total === null) return runStateWord(state);
  if (rejected === "violation" || (correct === 0 && verdict === "violation")) return integrityWord("violation");
  if (rejected != null) return { ...statusWord("rejected"), means: `No graph was evaluated: ${words(rejected)}.` };
  const text = `correct ${correct}/${total}`;
  const means = `Every output is correct at tolerance t = −5 on ${correct} of ${total} graphs.`;
  if (correct === total) return { text, means, glyph: "●", tone: "correct" };
  return correct === 0 ? { text, means, glyph: "■", tone: "fail" } : { text, means, glyph: "▲", tone: "warn" };
}
