import { expect, it } from "vitest";
import { WHOLE_RUN } from "../__fixtures__/events";
import { doing } from "./doing";
import { reduce } from "./reducer";
import { emptyRun } from "./view";

const graph = (count: number) => reduce(emptyRun(["a", "b"]), WHOLE_RUN.slice(0, count)).graphs[0]!;
// the pieces of the log lie one second apart: the tenth, "rewritten", came at 12:00:09
const at = (seconds: number) => Date.UTC(2026, 10, 29, 12, 0, 9) + seconds * 1000;

it("names the stage of a graph and counts its seconds", () => {
  expect(doing(graph(10), 20, at(0.4))).toBe("compiling");
  expect(doing(graph(10), 20, at(3.24))).toBe("compiling 3.2 s");
  expect(doing(graph(11), 20, at(13))).toBe("comparing 12.0 s");
});

it("says of a slow first call when it is ended", () => {
  expect(doing(graph(10), 20, at(7.9))).toBe("first call running 7 s, ended at 20 s");
  expect(doing(graph(10), null, at(7.9))).toBe("first call running 7 s");
});

it("shows no clock before anything began, nor one that runs backwards", () => {
  expect(doing(graph(3), 20, at(3))).toBe("waiting");
  expect(doing(graph(10), 20, at(-3))).toBe("compiling");
});
