import { describe, expect, it } from "vitest";
import { toCompletions, toDefinitions, toDiagnostics, toEdits, toHover, toMarkdown, toRange, toSignatures } from "./protocol";
import { changesBetween, placeOf } from "./text";

const span = (line: number, from: number, to: number) => ({ start: { line, character: from }, end: { line, character: to } });

describe("texts as a server counts them", () => {
  it("counts lines from 0 and columns in UTF-16 units", () => {
    expect(placeOf("ab\ncd", 4)).toEqual({ line: 1, character: 1 });
    expect(placeOf("ab\n", 3)).toEqual({ line: 1, character: 0 });
    expect(placeOf("𝛼x", 2)).toEqual({ line: 0, character: 2 });
  });

  it("says the smallest change, or the whole text where line ends are not plain", () => {
    expect(changesBetween("a\nb\nc", "a\nB\nc")).toEqual([{ range: span(1, 0, 1), text: "B" }]);
    expect(changesBetween("a", "a")).toEqual([]);
    expect(changesBetween("a\r\nb", "a\r\nc")).toEqual([{ text: "a\r\nc" }]);
  });
});

describe("what a server says", () => {
  it("counts places from 1 for the editor", () => {
    expect(toRange(span(2, 0, 3))).toEqual({ startLineNumber: 3, startColumn: 1, endLineNumber: 3, endColumn: 4 });
    expect(toRange({ start: { line: "1" } })).toBeNull();
    expect(toRange(undefined)).toBeNull();
  });

  it("shows errors, warnings and notes, and leaves hints out", () => {
    const found = [1, 2, 3, 4].map((severity) => ({ range: span(0, 0, 1), severity, message: `m${severity}`, code: "c" }));
    expect(toDiagnostics(found).map((one) => [one.severity, one.message])).toEqual([["error", "m1"], ["warning", "m2"], ["info", "m3"]]);
    expect(toDiagnostics([null, 3, { range: 1 }])).toEqual([]);
  });

  it("takes links into the server's files out of a text and leaves the others", () => {
    const value = "[relu](file:///x.py) and [docs](https://pytorch.org) [run](command:x)\n\nGo to [Tensor](file:///a) | [bool](file:///b)";
    expect(toHover({ contents: { kind: "markdown", value } })).toEqual({ markdown: "relu and [docs](https://pytorch.org) run", range: null });
    expect(toMarkdown([{ language: "python", value: "x" }, "y"])).toBe("```python\nx\n```\n\ny");
    expect(toHover(null)).toBeNull();
  });

  it("reads completions with and without an edit of their own", () => {
    const { items, incomplete } = toCompletions({ isIncomplete: true, items: [
      { label: "arange", kind: 3, sortText: "1" }, { label: "abs", textEdit: { range: span(0, 1, 2), newText: "abs()" } }, { kind: 2 },
    ] });
    expect(incomplete).toBe(true);
    expect(items.map((item) => [item.label, item.insert, item.sort, item.replace?.startColumn])).toEqual([["arange", "arange", "1", undefined], ["abs", "abs()", "abs", 2]]);
    expect(toCompletions(null)).toEqual({ items: [], incomplete: false });
    expect(toCompletions([{ label: "x" }]).items).toHaveLength(1);
  });

  it("reads definitions, signatures and edits", () => {
    expect(toDefinitions({ uri: "file:///a.py", range: span(0, 0, 1) })).toMatchObject([{ file: "", uri: "file:///a.py" }]);
    expect(toDefinitions([{ uri: "file:///a.py", file: "a.py", range: span(0, 0, 1) }, {}])).toMatchObject([{ file: "a.py" }]);
    expect(toSignatures({ activeParameter: 1, signatures: [{ label: "f(a, b)", parameters: [{ label: "a" }, { label: [5, 6] }] }] })).toEqual({
      signatures: [{ label: "f(a, b)", documentation: "", parameters: ["a", [5, 6]], active: 1 }], active: 0,
    });
    expect(toSignatures(null)).toBeNull();
    expect(toEdits([{ range: span(0, 0, 1), newText: "x" }, { newText: "y" }])).toHaveLength(1);
    expect(toEdits(null)).toEqual([]);
  });
});
