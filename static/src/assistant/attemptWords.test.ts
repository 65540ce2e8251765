import { describe, expect, it } from "vitest";
import { attemptWords } from "./attemptWords";

const attempt = {
  id: "a", conversation: "c", state: "running", wish: "", steps: 3, max_steps: 40, seconds: 130, max_seconds: 3600, best: null, evaluations: [], exit_reason: "", message: "",
} as const;
const evaluation = { step: 2, run: "r", verdict: "clean", correct: 2, total: 4, score: null };

describe("an attempt in one line", () => {
  it("says how far it is", () => {
    expect(attemptWords({ ...attempt, evaluations: [] })).toBe("running · step 3 of 40 · 2 of 60 min · not judged yet");
  });
  it("says what is best", () => {
    expect(attemptWords({ ...attempt, best: evaluation, evaluations: [evaluation] })).toContain("best 2/4 graphs at step 2, of 1 evaluation");
    expect(attemptWords({ ...attempt, best: { ...evaluation, score: 1.25 }, evaluations: [evaluation, evaluation] })).toContain("graphs, score 1.250 at step 2, of 2 evaluations");
  });
  it("says what a person wants of it", () => {
    expect(attemptWords({ ...attempt, wish: "pause", evaluations: [] })).toContain("running, will pause after this step");
  });
});
