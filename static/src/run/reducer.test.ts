import { describe, expect, it } from "vitest";
import { done, numbered, output, WHOLE_RUN } from "../__fixtures__/events";
import { reduce } from "./reducer";
import { stageSeconds, summarise } from "./summary";
import { emptyRun, LOG_LINES } from "./view";

const empty = () => emptyRun(["a", "b"]);

describe("reduce", () => {
  it("ends in the same state whatever the batches, and when they overlap", () => {
    const whole = reduce(empty(), WHOLE_RUN);
    let single = empty();
    for (const event of WHOLE_RUN) single = reduce(single, [event]);
    let overlapping = empty();
    for (let at = 0; at < WHOLE_RUN.length; at += 3) overlapping = reduce(overlapping, WHOLE_RUN.slice(Math.max(0, at - 2), at + 3));
    expect(single).toEqual(whole);
    expect(overlapping).toEqual(whole);
  });

  it("leaves its input as it was and returns it when there is nothing new", () => {
    const before = reduce(empty(), WHOLE_RUN.slice(0, 9));
    const copy = structuredClone(before);
    reduce(before, WHOLE_RUN);
    expect(before).toEqual(copy);
    expect(reduce(before, WHOLE_RUN.slice(0, 9))).toBe(before);
  });

  it("forgets the graphs that a run from elsewhere is not about", () => {
    expect(reduce(emptyRun(["c", "a", "b"]), WHOLE_RUN).graphs.map((graph) => graph.name)).toEqual(["a", "b"]);
  });

  it("fills the waiting rows in place", () => {
    expect(empty().graphs.map((graph) => graph.phase)).toEqual(["waiting", "waiting"]);
    const running = reduce(empty(), WHOLE_RUN.slice(0, 11));
    expect(running.graphs.map((graph) => [graph.name, graph.phase])).toEqual([["a", "compiled"], ["b", "waiting"]]);
    const [a, b] = reduce(empty(), WHOLE_RUN).graphs;
    expect(a).toMatchObject({ status: "correct", firstT: -7, maxAbs: 2e-6, matchedNodes: [["tmp_0", "tmp_1"]], newNodes: ["masked_pool"], rewritten: true });
    expect(a!.checks.map((check) => check.inputSet)).toEqual(["replay", "spread 1"]);
    expect(b).toMatchObject({ status: "no_match", firstT: null, matches: 0, message: "No pass matched." });
    expect(b!.nearMisses).toHaveLength(1);
  });

  it("keeps counted launches when the final word has none", () => {
    const events = numbered([{ kind: "kernels", payload: { graph: "a", who: "eager", total: 5, list: [] } }, done("a", { launches: null, status: "runtime_fail" })]);
    expect(reduce(empty(), events).graphs[0]!.launches).toEqual({ eager: 5 });
  });

  it("forgets the first attempt's graphs when a lost run starts again, not its log", () => {
    const lost = numbered(
      [
        { kind: "log", payload: { stream: "stdout", text: "first\n" } },
        { kind: "state", payload: { state: "queued", message: "The worker was lost." } },
        { kind: "run_started", payload: { device: "cpu", profile: "precise", versions: {}, graphs: ["a", "b"], limits: {} } },
      ],
      15,
    );
    const view = reduce(reduce(empty(), WHOLE_RUN.slice(0, 14)), lost);
    expect(view.graphs.map((graph) => graph.phase)).toEqual(["waiting", "waiting"]);
    expect(view.passes).toBeNull();
    expect(view.log).toEqual([{ stream: "stdout", text: "first" }]);
  });

  it("joins pieces of a line, and only of the same stream", () => {
    const log = (stream: string, text: string) => ({ kind: "log" as const, payload: { stream, text } });
    const view = reduce(empty(), numbered([log("stdout", "one\ntw"), log("stdout", "o\n\nthree"), log("stderr", "oops\n"), log("stdout", "four")]));
    expect(view.log).toEqual([
      { stream: "stdout", text: "one" }, { stream: "stdout", text: "two" }, { stream: "stdout", text: "" }, { stream: "stdout", text: "three" },
      { stream: "stderr", text: "oops" }, { stream: "stdout", text: "four" },
    ]);
  });

  it("keeps the newest lines of a flood", () => {
    const text = Array.from({ length: LOG_LINES + 10 }, (_, line) => `${line}\n`).join("");
    const view = reduce(empty(), numbered([{ kind: "log", payload: { stream: "stdout", text, truncated: true } }]));
    expect(view.log).toHaveLength(LOG_LINES);
    expect(view.log[0]!.text).toBe("10");
    expect([view.logDropped, view.logTruncated]).toEqual([10, true]);
  });

  it("passes over kinds it does not know but keeps their number", () => {
    const odd = [{ seq: 1, kind: "sonnet", payload: {}, at: "2026-11-29T12:00:00Z" }] as unknown as typeof WHOLE_RUN;
    expect(reduce(empty(), odd)).toEqual({ ...empty(), seq: 1 });
  });

  it("keeps notes of a match and the first diagnosis of an error", () => {
    const noise = { deterministic: true, random: false, first_t: -99 };
    const view = reduce(empty(), numbered([
      { kind: "matched", payload: { graph: "a", matches: 1, per_pass: {}, nodes: [], near_misses: [], notes: ["Operands were swapped."] } },
      { kind: "correctness", payload: { graph: "a", input_set: "replay", outputs: [output()] } },
      { kind: "correctness", payload: { graph: "a", input_set: "spread 1", outputs: [output({ first_t: 1 })], truth: [null], noise } },
      { kind: "correctness", payload: { graph: "a", input_set: "spread 1, again", outputs: [output()], truth_note: "later" } },
    ]));
    expect(view.graphs[0]).toMatchObject({ notes: ["Operands were swapped."], diagnosis: { inputSet: "spread 1", truth: [null], noise } });
  });

  it("adds a row for a graph the task did not name", () => {
    const view = reduce(empty(), numbered([{ kind: "correctness", payload: { graph: "c", input_set: "replay", outputs: [output({ max_abs: null })] } }]));
    expect(view.graphs.map((graph) => graph.name)).toEqual(["a", "b", "c"]);
    expect(view.graphs[2]!.maxAbs).toBeNull();
  });
});

describe("summarise", () => {
  it("says what stage a run is in", () => {
    const headline = (count: number) => summarise(reduce(empty(), WHOLE_RUN.slice(0, count))).headline;
    expect(summarise(null).headline).toBe("not run yet");
    expect([1, 3, 4, 5, 7, 15].map(headline)).toEqual(["queued", "starting", "static check", "loading the pass", "judging graph 1 of 2", "judging graph 2 of 2"]);
  });

  it("says that other inputs are tried when every graph has its status", () => {
    expect(summarise(reduce(empty(), WHOLE_RUN.slice(0, -2)))).toMatchObject({ headline: "correct on 1 of 2 graphs", details: ["trying other inputs"] });
  });

  it("counts the correct graphs, the worst t and the launches", () => {
    expect(summarise(reduce(empty(), WHOLE_RUN))).toEqual({
      tone: "warn", glyph: "▲", headline: "correct on 1 of 2 graphs", details: ["no match 1", "sum has another dim", "first t −7", "launches 5 → 1", "clean"],
    });
  });

  it("says first that and why everything was rejected", () => {
    const rejected = (graph: string) => done(graph, { matches: 0, status: "rejected", reason: "bad_submission", first_t: null, launches: null, message: "A.py:3: is not valid Python" });
    const view = reduce(empty(), numbered([rejected("a"), rejected("b"), { kind: "state", payload: { state: "done" } }]));
    expect(summarise(view)).toEqual({ tone: "violation", glyph: "◆", headline: "rejected, bad submission", details: ["A.py:3: is not valid Python", "correct on 0 of 2 graphs"] });
  });

  it("keeps what was judged before a cancel", () => {
    const cancel = numbered([{ kind: "state", payload: { state: "cancelled" } }], 15);
    const view = reduce(reduce(empty(), WHOLE_RUN.slice(0, 14)), cancel);
    expect(summarise(view)).toMatchObject({ headline: "cancelled", details: ["correct on 1 of 1 graph judged before"] });
    expect(view.stages.graphs.end).not.toBeNull();
  });
});

describe("stageSeconds", () => {
  it("counts from the log's own times, and to now while open", () => {
    const view = reduce(empty(), WHOLE_RUN);
    expect(["queued", "check", "load", "graphs"].map((name) => stageSeconds(view, name as "queued", 0))).toEqual([1, 1, 1, 12]);
    const open = reduce(empty(), WHOLE_RUN.slice(0, 1));
    expect(stageSeconds(open, "queued", Date.UTC(2026, 10, 29, 12, 0, 4))).toBe(4);
    expect(stageSeconds(open, "graphs", 0)).toBeNull();
  });
});
