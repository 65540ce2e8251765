import { expect, test } from "vitest";
import { questionsFor } from "./AskAbout";

const of = (status: string | null, matches: number | null = 1, phase = "done") => questionsFor({ name: "g", status, matches, phase }).map(([command]) => command);

test("the questions fit what became of the graph", () => {
  expect(of("no_match", 0)).toEqual(["why_no_match"]);
  expect(of("correct")).toEqual(["why_slower", "optimise"]);
  expect(of("accuracy")).toEqual(["fix"]);
  expect(of("compile_fail", null)).toEqual(["fix"]);
  expect(of("rejected", 0)).toEqual(["fix"]); // nothing was matched at all
  expect(of(null, null, "waiting")).toEqual([]);
});
