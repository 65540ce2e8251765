import { expect, test } from "vitest";
import { differing, fileRows } from "./differ";

test("a node that the others lack, or have with other code, is marked on its drawing", () => {
  const a = [{ name: "x", code: "relu(in_0)" }, { name: "y", code: "x + 1" }];
  const b = [{ name: "x", code: "relu(in_0)" }, { name: "y", code: "x + 2" }, { name: "k", code: "launch(x)" }];
  const [first, second, none] = differing([a, b, null]);
  expect([...first!].map(([name, mark]) => [name, mark.word])).toEqual([["y", "other"]]);
  expect([...second!].map(([name, mark]) => [name, mark.word])).toEqual([["y", "other"], ["k", "only here"]]);
  expect(none!.size).toBe(0);
});

test("files that differ come first, and a side may lack one", () => {
  const rows = fileRows([{ "a.py": "1", "z.py": "1" }, { "a.py": "1", "z.py": "2", "__proto__x": "" }]);
  expect(rows.map((row) => [row.name, row.same])).toEqual([["__proto__x", false], ["z.py", false], ["a.py", true]]);
  expect(rows[0]!.texts).toEqual([null, ""]);
});
