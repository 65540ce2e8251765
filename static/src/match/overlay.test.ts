import { describe, expect, it } from "vitest";
import { nearMiss } from "../__fixtures__/events";
import { liveNote } from "./note";
import { marksOf, missOf, overlayOf } from "./overlay";
import type { GraphAnswer } from "./state";
import { ask, NOTHING, receive } from "./state";

const answer = (part: Partial<GraphAnswer>): GraphAnswer => ({ version: 1, matches: 0, perPass: {}, nodes: [], lines: [], nearMisses: [], notes: [], ...part });
const words = (part: Partial<GraphAnswer>, earlier = false) => Object.fromEntries([...marksOf(overlayOf(answer(part), earlier, missOf(answer(part), "A.py")))].map(([name, mark]) => [name, `${mark.word} ${mark.tone}`]));

describe("marks of the newest answer", () => {
  it("number the matches, and leave out what other passes missed", () => {
    expect(words({ matches: 1, nodes: [["a", "b"]], nearMisses: [nearMiss()] })).toEqual({ a: "matches correct", b: "matches correct" });
    expect(words({ matches: 2, nodes: [["a"], ["b"]] })).toEqual({ a: "match 1 correct", b: "match 2 correct" });
  });

  it("lay the pattern over the graph and show the first node that differs", () => {
    const miss = nearMiss({ matched: [["total", "tmp_1"], ["n", "tmp_2"]], graph_node: "tmp_3", leaks: [] });
    expect(words({ nearMisses: [miss] })).toEqual({ tmp_1: "fits total accent", tmp_2: "fits n accent", tmp_3: "differs fail" });
  });

  it("show what leaks and who uses it", () => {
    const miss = nearMiss({ matched: [["p", "tmp_0"], ["q", "tmp_1"]], graph_node: "tmp_0", leaks: [{ node: "tmp_0", pattern_node: "p", users: ["tmp_9"] }] });
    expect(words({ nearMisses: [miss] })).toEqual({ tmp_0: "leaks warn", tmp_1: "fits q accent", tmp_9: "uses it warn" });
  });

  it("are those of the file in the editor, where several passes miss", () => {
    const [first, second] = [nearMiss({ pass_name: "First" }), nearMiss({ pass_name: "Second" })];
    const both = answer({ nearMisses: [first, second] });
    expect(missOf(both, "Second.py")).toBe(second);
    expect(missOf(both, "helper.py")).toBe(first);
    expect(missOf({ ...both, matches: 1 }, "Second.py")).toBeNull();
  });

  it("of an earlier text are no longer loud", () => {
    expect(words({ matches: 1, nodes: [["a"]] }, true)).toEqual({ a: "matches idle" });
  });
});

describe("liveNote", () => {
  const source = "import torch\n\ndef pattern(x):\n    return x\n";
  const said = (matches: number) => receive(ask(NOTHING, 1), { type: "graph", version: 1, graph: "a", matches, per_pass: { Fuse: matches } });

  it("counts the graphs beside the def line", () => {
    expect(liveNote(said(2), "Fuse", source)).toEqual({ line: 3, text: "● matches 1/1 graphs as you type", tone: "correct" });
    expect(liveNote(said(0), "Fuse", source)?.tone).toBe("fail");
    expect(liveNote(NOTHING, "Fuse", source)).toBeNull();
    expect(liveNote(receive(said(1), { type: "failed", version: 1, message: "no" }), "Fuse", source)).toBeNull();
  });
});
