import { describe, expect, it } from "vitest";
import { nearMiss } from "../__fixtures__/events";
import type { Edit } from "../events";
import { fixesNow, withEdits } from "./fixes";

const edit = (line: number, column: number, end_line: number, end_column: number, text: string): Edit => ({ line, column, end_line, end_column, text });
const insert = (line: number, column: number, text: string): Edit => edit(line, column, line, column, text);

describe("withEdits", () => {
  it("replaces and inserts, whatever the order", () => {
    const text = "def pattern(x):\n    return torch.relu(x * 2)\n";
    expect(withEdits(text, [insert(2, 22, "(mul := "), insert(2, 27, ")"), insert(2, 28, ", mul")])).toBe("def pattern(x):\n    return torch.relu((mul := x * 2)), mul\n");
    expect(withEdits(text, [edit(2, 11, 2, 28, "x")])).toBe("def pattern(x):\n    return x\n");
  });

  it("keeps the order of two insertions at one place, and takes lines away", () => {
    expect(withEdits("ab", [insert(1, 1, "1"), insert(1, 1, "2")])).toBe("a12b");
    expect(withEdits("a\nb\nc", [edit(1, 1, 3, 0, "-")])).toBe("a-c");
  });

  it("counts in UTF-16 units", () => {
    expect(withEdits("x = '😀' + y", [edit(1, 11, 1, 12, "z")])).toBe("x = '😀' + z");
  });

  it("does nothing for places that are not in the text or lie over each other", () => {
    for (const wrong of [insert(3, 0, "a"), insert(1, 9, "a"), edit(2, 1, 1, 0, "a"), insert(0, 0, "a")]) expect(withEdits("ab\ncd", [wrong])).toBeNull();
    expect(withEdits("abcd", [edit(1, 0, 1, 3, "x"), edit(1, 2, 1, 4, "y")])).toBeNull();
  });
});

describe("fixesNow", () => {
  const fix = { kind: "form", title: "Use the graph's form", edits: [insert(1, 0, "a")] };
  const miss = nearMiss({ pass_name: "Fuse", fixes: [fix] });

  it("offers a fix for the very text that was matched", () => {
    expect(fixesNow(miss, { "Fuse.py": "a" }, { "Fuse.py": "a", "other.py": "b" })).toEqual([fix]);
    expect(fixesNow(miss, { "Fuse.py": "a" }, { "Fuse.py": "ab" })).toEqual([]);
    expect(fixesNow(miss, {}, {})).toEqual([]);
  });
});
