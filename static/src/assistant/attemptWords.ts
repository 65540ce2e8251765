/** What an attempt is, and how it is said in one line. */

export interface Evaluation {
  step: number;
  run: string;
  verdict: string;
  correct: number;
  total: number;
  score: number | null;
}

export interface Attempt {
  id: string;
  conversation: string;
  state: "queued" | "running" | "paused" | "ended";
  /** What it will do after its step: "pause", "stop" or "". */
  wish: string;
  steps: number;
  max_steps: number;
  seconds: number;
  max_seconds: number;
  best: Evaluation | null;
  evaluations: Evaluation[];
  exit_reason: string;
  message: string;
}

/** "running · step 3 of 40 · 2 of 60 min · best 2/4 graphs at step 2, of 3 evaluations" */
export function attemptWords(attempt: Attempt): string {
  const minutes = `${Math.floor(attempt.seconds / 60)} of ${Math.round(attempt.max_seconds / 60)} min`;
  const state = attempt.wish === "" ? attempt.state : `${attempt.state}, will ${attempt.wish} after this step`;
  const { best } = attempt;
  const count = attempt.evaluations.length;
  const judged = count === 0 ? "not judged yet" : `${count} evaluation${count === 1 ? "" : "s"}`;
  const reached = best === null ? judged : `best ${best.correct}/${best.total} graphs${best.score === null ? "" : `, score ${best.score.toFixed(3)}`} at step ${best.step}, of ${judged}`;
  return [state, `step ${attempt.steps} of ${attempt.max_steps}`, minutes, reached].join(" · ");
}
