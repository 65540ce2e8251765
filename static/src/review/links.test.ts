import { expect, test } from "vitest";
import { pieces } from "./links";

const FILES = { "A.py": "" };

test("people, lines and graphs that are there become pieces of their own", () => {
  expect(pieces("@rea. see A.py:3, graph:f32.", FILES, ["f32"])).toEqual([
    { kind: "person", text: "@rea" },
    { kind: "text", text: ". see " },
    { kind: "line", text: "A.py:3", file: "A.py", line: 3 },
    { kind: "text", text: ", " },
    { kind: "graph", text: "graph:f32", graph: "f32" },
    { kind: "text", text: "." },
  ]);
});

test("what is not there stays text, and so does markup", () => {
  for (const text of ["B.py:3", "graph:none", "a@b.c", "<img src=x onerror=alert(1)>", "x/A.py:3"]) expect(pieces(text, FILES, [])).toEqual([{ kind: "text", text }]);
  expect(pieces("", FILES, [])).toEqual([]);
});
