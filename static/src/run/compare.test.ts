import { expect, test } from "vitest";
import { timed } from "../__fixtures__/speed";
import { compareRuns } from "./compare";
import type { GraphView, RunView } from "./view";
import { emptyGraph, emptyRun } from "./view";

const graph = (name: string, over: Partial<GraphView> = {}): GraphView => ({ ...emptyGraph(name), phase: "done", status: "correct", matches: 1, firstT: -6, launches: { eager: 5, candidate: 1 }, ...over });
const run = (...graphs: GraphView[]): RunView => ({ ...emptyRun([]), graphs });
const speed = (value: number, half: number) => ({ timings: [timed({ ratios: { candidate: { value, low: value - half, high: value + half, rounds: 30, word: "faster" } } })] });

test("rows in the order of the first run, what only one has is said", () => {
  const rows = compareRuns(run(graph("b"), graph("a")), run(graph("a"), graph("c")), "e2e");
  expect(rows.map((row) => [row.graph, row.words])).toEqual([["b", "only in the first"], ["a", ""], ["c", "only in the second"]]);
});

test("status goes before speed, speed before launches, launches before the first t", () => {
  const words = (left: Partial<GraphView>, right: Partial<GraphView>) => {
    const [row] = compareRuns(run(graph("a", left)), run(graph("a", right)), "e2e");
    return [row!.change, row!.words];
  };
  expect(words({ status: "accuracy" }, speed(1, 0.1))).toEqual(["better", "now correct"]);
  expect(words({}, { status: "no_match" })).toEqual(["worse", "no longer correct"]);
  expect(words(speed(1.2, 0.02), speed(1.5, 0.02))).toEqual(["better", "1.25× as fast"]);
  expect(words(speed(1.5, 0.02), speed(1.2, 0.02))).toEqual(["worse", "0.80× as fast"]);
  expect(words(speed(1.5, 0.2), speed(1.4, 0.2))).toEqual(["same", ""]); // the intervals overlap
  expect(words({}, { launches: { eager: 5, candidate: 3 } })).toEqual(["worse", "launches +2"]);
  expect(words({}, { firstT: -4 })).toEqual(["worse", "right at a larger t only"]);
});
