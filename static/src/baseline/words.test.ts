import { describe, expect, it } from "vitest";
import type { BaselineRow, Measuring } from "./types";
import { age, badEnd, commonProblem, inShort, isOpen, outputsWord, tables } from "./words";

const row = (changes: Partial<BaselineRow> = {}): BaselineRow => ({
  graph: "f32", device: "cpu", hardware: "A processor", backend: "inductor", entry: "direct", method: "e2e", threads: 1,
  eager_us: 30, median_us: 20, ratio: { value: 1.5, low: 1.4, high: 1.6 }, word: "faster", kernels: 2, eager_kernels: null, compared: false, first_t: null,
  versions: { torch: "2.13.0", harness: "0.1.0" }, measured_at: "2026-01-02T03:04:05Z", origin: "", ...changes,
});

const measuring = (changes: Partial<Measuring> = {}): Measuring => ({
  run: "r", state: "done", device: "cpu", total: 2, done: 2, jobs_ahead: null, message: null, finished_at: null, problems: [], ...changes,
});

describe("tables", () => {
  it("names device, compiler, method, entry, threads and versions", () => {
    const [found] = tables([row(), row({ graph: "f16", measured_at: "2026-01-02T03:05:00Z" })]);
    expect(found).toMatchObject({ title: "CPU, eager against Inductor's CPU compile", here: true, mixed: false, compiler: "Inductor" });
    expect(found!.how).toBe("e2e · direct entry · 1 thread · torch 2.13.0 · harness 0.1.0 · A processor");
    expect(found!.rows.map((one) => one.graph)).toEqual(["f32", "f16"]);
    expect([found!.oldest, found!.newest]).toEqual(["2026-01-02T03:04:05Z", "2026-01-02T03:05:00Z"]);
  });

  it("keeps machines, versions and origins apart, what was measured here first", () => {
    const h200 = { device: "cuda:H200", hardware: "NVIDIA H200", threads: null, origin: "h200.jsonl" };
    const found = tables([
      row({ ...h200, method: "graph" }), row({ ...h200, method: "e2e" }), row({ origin: "a.jsonl" }), row(),
      row({ graph: "f16", versions: { torch: "2.11.0", harness: "0.1.0" } }),
    ]);
    expect(found.map((one) => [one.title, one.rows.length, one.mixed])).toEqual([
      ["CPU, eager against Inductor's CPU compile", 1, false],
      ["CPU, eager against Inductor's CPU compile", 1, false],
      ["CPU, eager against Inductor's CPU compile, imported from a.jsonl", 1, false],
      ["H200, eager against Inductor, imported from h200.jsonl", 2, true],
    ]);
    expect(found[3]!.how).toBe("torch 2.13.0 · harness 0.1.0 · NVIDIA H200");
  });
});

describe("the compiler's outputs", () => {
  it("are spoken of where they are not as right as they should be", () => {
    expect(outputsWord({ compared: false, first_t: null })).toBeNull();
    expect(outputsWord({ compared: true, first_t: -99 })).toBeNull();
    expect(outputsWord({ compared: true, first_t: -5 })).toBeNull();
    expect(outputsWord({ compared: true, first_t: -3 })).toBe("outputs right from t = −3 only");
    expect(outputsWord({ compared: true, first_t: null })).toBe("outputs wrong at every t");
  });
});

describe("the short word of a list", () => {
  it.each([
    [{ measured: 5, faster: 3, slower: 2 }, "Inductor slower on 2 of 5"],
    [{ measured: 5, faster: 5, slower: 0 }, "Inductor faster on 5 of 5"],
    [{ measured: 5, faster: 0, slower: 0 }, "Inductor as fast as eager on 5 of 5"],
    [{ measured: 0, faster: 0, slower: 0 }, null],
    [null, null],
  ])("%j", (counts, said) => expect(inShort(counts)).toBe(said));
});

it("tells an age in one unit", () => {
  const now = Date.parse("2026-01-03T00:00:00Z");
  expect(["2026-01-02T23:59:30Z", "2026-01-02T23:55:00Z", "2026-01-02T03:00:00Z", "2025-12-31T00:00:00Z", "?"].map((at) => age(at, now))).toEqual([
    "just now", "5 min ago", "21 h ago", "3 days ago", "at an unknown time",
  ]);
});

describe("how a measurement went", () => {
  it("says what all graphs have in common once", () => {
    const both = [{ graph: "f32", message: "no compiler" }, { graph: "f16", message: "no compiler" }];
    expect(commonProblem(measuring({ problems: both }))).toBe("no compiler");
    expect(commonProblem(measuring({ problems: both.slice(1) }))).toBeNull();
    expect(commonProblem(measuring({ problems: [both[0]!, { graph: "f16", message: "other" }] }))).toBeNull();
  });

  it("tells a cancelled and a failed one, and is silent about a good one", () => {
    expect(badEnd(measuring({ state: "cancelled", done: 1 }))).toBe("The last measurement was cancelled. 1 graph of 2 had been measured until then.");
    expect(badEnd(measuring({ state: "infrastructure_error", message: "The worker is gone.", done: 0 }))).toBe("The worker is gone.");
    expect([badEnd(measuring()), badEnd(measuring({ state: "running" })), badEnd(null)]).toEqual([null, null, null]);
    expect([isOpen(null), isOpen(measuring()), isOpen(measuring({ state: "queued" }))]).toEqual([false, false, true]);
  });
});
