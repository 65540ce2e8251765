/** Which verdict of a run stands, and on what it rests. Pure. */

import type { Counts, Review } from "../api";
import type { Finding } from "../events";

const WEIGHT: Record<string, number> = { violation: 0, suspicious: 1, note: 2 };

/** The gravest first; equal ones as they were found. */
export function byWeight(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((a, b) => (WEIGHT[a.severity] ?? 3) - (WEIGHT[b.severity] ?? 3));
}

export interface Standing {
  /** The judge's word. */
  judged: string;
  /** The word that counts: the judge's, or that of the last review. */
  stands: string;
  /** Findings that the judge's word rests on, the gravest first. */
  grounds: Finding[];
  reviews: readonly Review[];
}

/** Null for a run that is clean by everybody's word, or not judged. */
export function standing(judged: string | null, findings: readonly Finding[], reviews: readonly Review[]): Standing | null {
  if (judged === null || (judged === "clean" && reviews.length === 0)) return null;
  const stands = reviews.at(-1)?.verdict ?? judged;
  const grounds = byWeight(findings).filter((finding) => finding.severity === "violation" || finding.severity === "suspicious");
  return { judged, stands, grounds, reviews };
}

/** The gravest findings stand with the verdict; the others follow below the graphs. */
export const GROUNDS_SHOWN = 3;

/** What the standing verdict means for the run, in a sentence. */
export function consequence({ judged, stands }: Pick<Standing, "judged" | "stands">): string {
  if (stands === "violation") return judged === "violation" ? "Every graph of this run is rejected." : "The run no longer counts.";
  if (judged === "violation") return "It no longer counts against the author.";
  return stands === "suspicious" ? "The run is scored and waits for a review." : "The run counts as it was scored.";
}

/** The numbers that count after a review, in a few words. */
export function counted({ state, correct, total, first_t, aggregate_score }: Counts): string {
  if (correct === null || total === null) return state === "cancelled" || state === "infrastructure_error" ? "nothing, it was not scored again" : "not known yet, it is being scored again";
  const parts = [`correct on ${correct} of ${total} graphs`];
  if (first_t !== null) parts.push(first_t === -99 ? "equal bit by bit" : `first t ${first_t}`);
  if (aggregate_score !== null) parts.push(`AS ${aggregate_score.toFixed(2)}`);
  return parts.join(" · ");
}
