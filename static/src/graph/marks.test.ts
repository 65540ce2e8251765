import { describe, expect, it } from "vitest";
import { nearMiss } from "../__fixtures__/events";
import { emptyGraph } from "../run/view";
import { faded, marksAfter, marksBefore } from "./marks";

describe("marks", () => {
  it("numbers matches only when there are several", () => {
    const one = marksBefore({ ...emptyGraph("a"), matches: 1, matchedNodes: [["x", "y"]] });
    expect([...one].map(([name, mark]) => [name, mark.word])).toEqual([["x", "matched"], ["y", "matched"]]);
    const two = marksBefore({ ...emptyGraph("a"), matches: 2, matchedNodes: [["x"], ["y"]] });
    expect([...two.values()].map((mark) => mark.word)).toEqual(["match 1", "match 2"]);
  });

  it("shows the nearest miss when nothing matched: what fits, what differs, what leaks to whom", () => {
    const miss = nearMiss({ matched: [["p0", "x"], ["p1", "z"]], graph_node: "y", leaks: [{ node: "z", pattern_node: "p1", users: ["u", "x"] }] });
    const marks = marksBefore({ ...emptyGraph("a"), matches: 0, nearMisses: [miss, nearMiss({ graph_node: "other" })] });
    expect([...marks].map(([name, mark]) => [name, mark.word, mark.faint])).toEqual([["x", "fits", true], ["z", "leaks", false], ["u", "uses it", true], ["y", "differs", false]]);
    expect(marksBefore({ ...emptyGraph("a"), matches: 1, nearMisses: [miss] }).size).toBe(0);
    expect(marksBefore(null).size).toBe(0);
  });

  it("tells the launcher from the picking of its outputs, and fades old results", () => {
    const marks = marksAfter(["launch", "item"], (name) => name === "launch");
    expect([...marks.values()].map((mark) => mark.word)).toEqual(["yours", "output"]);
    expect([...faded(marks).values()].every((mark) => mark.faint && mark.tone === "idle")).toBe(true);
  });
});
