import { describe, expect, it } from "vitest";
import { nearMiss } from "../__fixtures__/events";
import { emptyGraph, emptyRun } from "../run/view";
import { findingMarkers, markersOf, patternNote, tally } from "./annotations";

const files = { "FusePool.py": "import torch\n\ndef pattern(x):\n    return x.sum(1)\n" };
const run = (...graphs: ReturnType<typeof emptyGraph>[]) => ({ ...emptyRun([]), graphs });

describe("markersOf", () => {
  it("puts one marker on a line that several graphs complain about", () => {
    const missed = (name: string) => ({ ...emptyGraph(name), matches: 0, nearMisses: [nearMiss({ pattern_node: null, pattern_code: "return x.sum(1)" })] });
    const markers = markersOf(run(missed("a"), missed("b")), files);
    expect(markers).toHaveLength(1);
    expect(markers[0]).toMatchObject({ file: "FusePool.py", line: 4, severity: "warning" });
    expect(markers[0]!.message.split("\n")).toHaveLength(2);
  });

  it("says nothing about a pass that did not match where another one did", () => {
    expect(markersOf(run({ ...emptyGraph("a"), matches: 1, nearMisses: [nearMiss()] }), files)).toEqual([]);
  });

  it("weighs findings by their severity and messages as errors", () => {
    const failed = { ...emptyGraph("a"), status: "compile_fail", message: "FusePool.py:4: no such operator" };
    const finding = { class: "file_access", severity: "note" as const, file: "FusePool.py", line: 1, evidence: "open" };
    const markers = markersOf({ ...run(failed), findings: [finding] }, files);
    expect(markers.map((marker) => [marker.line, marker.severity])).toEqual([[1, "info"], [4, "error"]]);
    expect(tally(markers)).toBe("1 error, 1 note");
    expect(tally([])).toBe("no problems");
  });
});

describe("findingMarkers", () => {
  it("says weight, class, evidence and rule, where there is a place", () => {
    const finding = { class: "file_access", severity: "suspicious" as const, file: "FusePool.py", line: 2, evidence: "open(path)" };
    expect(findingMarkers([finding, { ...finding, line: null }])).toEqual([
      { file: "FusePool.py", line: 2, severity: "warning", message: "suspicious, file access: open(path)\nRule: a pass reads and writes no files but its own modules." },
    ]);
    expect(findingMarkers([{ ...finding, class: "of_a_later_version" }])[0]!.message).toBe("suspicious, of a later version: open(path)");
  });
});

describe("patternNote", () => {
  const tried = (name: string, count: number) => ({ ...emptyGraph(name), perPass: { FusePool: count } });
  const note = (...counts: number[]) => patternNote(run(...counts.map((count, index) => tried(String(index), count))), "FusePool", files["FusePool.py"]);

  it("counts the graphs that a pass matched, beside its def line", () => {
    expect(note(1, 2)).toEqual({ line: 3, text: "● matches 2/2 graphs", tone: "correct" });
    expect(note(0, 2)!.tone).toBe("idle");
    expect(note(0, 0)!.tone).toBe("fail");
    expect(note()).toBeNull();
  });
});
