import { describe, expect, it } from "vitest";
import { node } from "../__fixtures__/graphs";
import { nodeAtPosition, nodesOnLine, rangeOf } from "./spans";

const span = (line: number, column: number, end_line: number, end_column: number) => ({ line, column, end_line, end_column });

// line 5:  "    tmp_3 = f(g(x))" ; lines 6-7: one call over two lines
const nodes = [
  node("tmp_3", { span: span(5, 4, 5, 19) }),
  node("inner", { span: span(5, 14, 5, 18) }),
  node("wide", { span: span(6, 4, 7, 9) }),
  node("in_0", { span: null }),
];

describe("nodeAtPosition", () => {
  it("prefers the innermost span that holds the caret (1-based columns)", () => {
    expect(nodeAtPosition(nodes, 5, 15)).toBe("inner");
    expect(nodeAtPosition(nodes, 5, 6)).toBe("tmp_3");
  });

  it("takes the statement when the caret is in the indentation or behind the end", () => {
    expect(nodeAtPosition(nodes, 5, 1)).toBe("tmp_3");
    expect(nodeAtPosition(nodes, 7, 80)).toBe("wide");
  });

  it("knows lines without a node", () => {
    expect(nodeAtPosition(nodes, 9, 1)).toBeNull();
  });
});

it("lists a line's nodes from the outside in", () => {
  expect(nodesOnLine(nodes, 5)).toEqual(["tmp_3", "inner"]);
  expect(nodesOnLine(nodes, 7)).toEqual(["wide"]);
});

it("turns UTF-16 columns into Monaco's, counting a surrogate pair as two", () => {
  const source = "    𝛼 = g(𝛽)";
  const made = node("a", { span: span(1, 9, 1, source.length) });
  const range = rangeOf(made.span!);
  expect(source.slice(range.startColumn - 1, range.endColumn - 1)).toBe("g(𝛽)");
});
