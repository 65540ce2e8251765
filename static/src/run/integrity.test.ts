import { describe, expect, it } from "vitest";
import type { Finding, Severity } from "../events";
import { consequence, counted, standing } from "./integrity";

const finding = (severity: Severity, evidence: string): Finding => ({ class: "torch_compute", severity, file: "A.py", line: 3, evidence });

describe("standing", () => {
  it("is nothing to speak of while a run is clean or not judged", () => {
    expect(standing("clean", [finding("note", "x")], [])).toBeNull();
    expect(standing(null, [finding("violation", "x")], [])).toBeNull();
  });

  it("rests on the gravest findings, without the notes", () => {
    const found = standing("violation", [finding("note", "n"), finding("suspicious", "s"), finding("violation", "v")], [])!;
    expect(found.grounds.map((one) => one.evidence)).toEqual(["v", "s"]);
    expect([found.judged, found.stands]).toEqual(["violation", "violation"]);
  });

  it("says what the verdict means for the run", () => {
    expect(consequence({ judged: "violation", stands: "violation" })).toBe("Every graph of this run is rejected.");
    expect(consequence({ judged: "violation", stands: "clean" })).toBe("It no longer counts against the author.");
    expect(consequence({ judged: "suspicious", stands: "clean" })).toBe("The run counts as it was scored.");
    expect(consequence({ judged: "suspicious", stands: "violation" })).toBe("The run no longer counts.");
  });

  it("keeps the judge's word beside that of the last review", () => {
    const review = (before: string, verdict: string) => ({ reviewer: "r", before, verdict, reason: "a table", created_at: "2026-11-29T12:00:00Z" });
    const found = standing("violation", [], [review("violation", "suspicious"), review("suspicious", "clean")])!;
    expect([found.judged, found.stands, found.reviews.length]).toEqual(["violation", "clean", 2]);
  });
});

describe("the score that counts after a review", () => {
  const base = { run: "r", state: "done", correct: 2, total: 3, first_t: -6, aggregate_score: 0.1 };
  it("says what is known", () => {
    expect(counted(base)).toBe("correct on 2 of 3 graphs · first t -6 · AS 0.10");
    expect(counted({ ...base, first_t: -99, aggregate_score: null })).toBe("correct on 2 of 3 graphs · equal bit by bit");
    expect(counted({ ...base, state: "queued", correct: null })).toBe("not known yet, it is being scored again");
    expect(counted({ ...base, state: "cancelled", correct: null })).toBe("nothing, it was not scored again");
  });
});
