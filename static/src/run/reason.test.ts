import { describe, expect, it } from "vitest";
import { done, nearMiss, numbered, WHOLE_RUN } from "../__fixtures__/events";
import { reduce } from "./reducer";
import { rowToOpen, sharedReason, shorten } from "./reason";
import { emptyRun } from "./view";

const run = (...events: Parameters<typeof numbered>[0][number][]) => reduce(emptyRun(["a", "b"]), numbered(events));
const finished = { kind: "state" as const, payload: { state: "done" } };
const missed = (graph: string, dim: string) => [
  { kind: "matched" as const, payload: { graph, matches: 0, per_pass: {}, nodes: [], near_misses: [nearMiss({ message: `sum has dim ${dim}. It is asked for in A.py.` })] } },
  done(graph, { matches: 0, status: "no_match", first_t: null, message: `No pass matched graph ${graph}.` }),
];

describe("rowToOpen", () => {
  it("waits for the end and takes the first graph that failed", () => {
    expect(rowToOpen(reduce(emptyRun(["a", "b"]), WHOLE_RUN.slice(0, 17)))).toBeNull();
    expect(rowToOpen(reduce(emptyRun(["a", "b"]), WHOLE_RUN))).toBe("b");
    expect(rowToOpen(null)).toBeNull();
  });

  it("opens nothing when all is correct, or a graph fails without the pass", () => {
    expect(rowToOpen(run(done("a"), done("b", { status: "eager_fail" }), finished))).toBeNull();
  });
});

describe("sharedReason", () => {
  it("is what all failing graphs have in common, the near miss before the message", () => {
    expect(sharedReason(run(...missed("a", "1"), ...missed("b", "1"), finished).graphs)).toBe("sum has dim 1");
    expect(sharedReason(run(...missed("a", "1"), ...missed("b", "2"), finished).graphs)).toBeNull();
    expect(sharedReason(run(done("a"), ...missed("b", "2"), finished).graphs)).toBe("sum has dim 2");
  });

  it("is nothing where nothing failed or nothing was said", () => {
    expect(sharedReason(run(done("a")).graphs)).toBeNull();
    expect(sharedReason(run(done("a", { status: "runtime_fail" })).graphs)).toBeNull();
  });
});

describe("shorten", () => {
  it("keeps the first sentence and no full stop, and does not stop inside a name", () => {
    expect(shorten("A.py:3: `x.sum` is not valid Python. Mend it.")).toBe("A.py:3: x.sum is not valid Python");
    expect(shorten("It is correct from t = 1.5 on, e.g. there")).toBe("It is correct from t = 1.5 on, e.g. there");
    expect(shorten("Output 0 has NaN. 4 of 4 elements differ.")).toBe("Output 0 has NaN");
    expect(shorten("")).toBe("");
  });

  it("takes the last line of a traceback", () => {
    expect(shorten("Traceback (most recent call last):\n  File x\nValueError: no such dim.")).toBe("ValueError: no such dim");
  });

  it("cuts at a word, or in a word that has no end", () => {
    expect(shorten("one two three four", 12)).toBe("one two…");
    expect(shorten("x".repeat(20), 12)).toBe(`${"x".repeat(12)}…`);
  });
});
