import { describe, expect, it } from "vitest";
import { done, numbered } from "../__fixtures__/events";
import { profiled, kernel, roofline, timed } from "../__fixtures__/speed";
import { reduce } from "./reducer";
import { hostOrKernel, inOrder, isTimed, participantName, speedOf, timingTable } from "./speed";
import { emptyGraph, emptyRun } from "./view";

const graph = (...timings: ReturnType<typeof timed>[]) => ({ ...emptyGraph("a"), timings });

describe("speedOf", () => {
  it("is the direct ratio of the author's pass, with its interval and its word", () => {
    const compiled = timed({ entry: "compiled", ratios: { candidate: { value: 0.9, low: 0.88, high: 0.92, rounds: 3, word: "slower" } } });
    const speed = speedOf(graph(compiled, timed()), "e2e")!;
    expect([speed.value, speed.interval, speed.word!.text, speed.word!.glyph]).toEqual(["1.34×", "±0.02", "faster", "●"]);
    expect(speed.title).toContain("1.320 to 1.360");
    expect(speedOf(graph(compiled), "e2e")).toBeNull();
  });

  it("falls back to the published entry, then to the final word's median", () => {
    expect(speedOf(graph(timed({ entry: "published" })), "e2e")!.value).toBe("1.34×");
    expect(speedOf({ timings: [], speedup: { graph: 12.34 } }, "graph")).toMatchObject({ value: "12.3×", interval: "", word: null });
    expect(speedOf({ timings: [], speedup: null }, "graph")).toBeNull();
  });
});

describe("timingTable", () => {
  it("puts methods and entries in order, eager first and the author's last", () => {
    const table = timingTable([timed({ method: "kernel" }), timed({ entry: "compiled" }), timed({ method: "graph" }), timed()]);
    expect(table.participants).toEqual(["eager", "inductor", "candidate"]);
    expect(table.rows.map((row) => `${row.method} ${row.entry}`)).toEqual(["e2e direct", "e2e compiled", "graph direct", "kernel direct"]);
    expect(table.rows[0]!.cells.map((cell) => [cell.median, cell.speed?.value])).toEqual([["67.0", undefined], ["45.0", "1.49×"], ["50.0", "1.34×"]]);
  });

  it("says why a number is missing", () => {
    const { eager, candidate } = timed().medians as { eager: number; candidate: number };
    const [row] = timingTable([timed({ medians: { eager, candidate }, ratios: {}, missing: { inductor: "did not compile" } })]).rows;
    expect(row!.cells[1]).toEqual({ who: "inductor", median: "–", speed: null, missing: "did not compile" });
  });
});

describe("words", () => {
  it("names participants as people call them", () => {
    expect(["eager", "candidate", "inductor", "inductor-max-autotune"].map(participantName)).toEqual(["eager", "yours", "Inductor", "Inductor max-autotune"]);
    expect(inOrder(["candidate", "xla", "eager", "inductor"])).toEqual(["eager", "inductor", "xla", "candidate"]);
  });

  it("splits the difference to eager into kernels and host", () => {
    const replay = timed({ method: "graph", medians: { eager: 28, candidate: 10 } });
    expect(hostOrKernel([timed(), replay])).toBe("By e2e yours saves 17.0 µs against eager: +18.0 µs in kernels, −1.00 µs on the host.");
    expect(hostOrKernel([timed()])).toBe("");
  });
});

describe("reduce with speed", () => {
  it("keeps timings, profiles, roofline and score, each once", () => {
    const eager = profiled("eager", [kernel("mul"), kernel("sum", { count: 2 })]);
    const events = numbered([
      { kind: "kernels", payload: { graph: "a", who: "eager", total: 5, list: [{ name: "aten.mul", count: 5 }] } },
      { kind: "timed", payload: timed() }, { kind: "timed", payload: timed({ medians: { eager: 70 } }) }, { kind: "timed", payload: timed({ method: "graph" }) },
      { kind: "kernels", payload: eager }, { kind: "roofline", payload: roofline() }, { kind: "verified", payload: { graph: "a", calls: 12, wrong: 0 } },
      done("a", { speedup: { e2e: 1.34 } }),
      { kind: "run_done", payload: { verdict: "clean", graphs: {}, findings: [], es_t: { "-10": 0.5, "0": 1.3 }, aggregate_score: 1.58, profile: "precise", device: "cuda:H200", versions: {}, seconds: 2 } },
    ]);
    const view = reduce(emptyRun(["a"]), events);
    const [a] = view.graphs;
    expect(a!.timings.map((one) => [one.method, one.medians["eager"]])).toEqual([["e2e", 70], ["graph", 67]]);
    expect(a!.profiles).toEqual({ eager });
    expect(a!.kernels["eager"]).toHaveLength(2);
    expect([a!.roofline!.floor, a!.verified!.calls, view.aggregateScore, view.esT]).toEqual([5.9, 12, 1.58, { "-10": 0.5, "0": 1.3 }]);
    expect(isTimed(view.graphs)).toBe(true);
    expect(isTimed(emptyRun(["a"]).graphs)).toBe(false);
  });

  it("takes a CPU's timing of eager and Inductor for no timing of the author's", () => {
    expect(isTimed([graph(timed({ medians: { eager: 67, inductor: 45 } }))])).toBe(false);
  });
});
