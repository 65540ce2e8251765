import { describe, expect, it } from "vitest";
import { newestKept } from "./backup";
import { differing, sameFiles, smallestEdit } from "./edits";
import { freeName, isPass, moved, nameProblem, ORDER_FILE, orderRows, parseOrder, writeOrder } from "./order";

describe("order file", () => {
  it("reads a list of names and says what else it found", () => {
    expect(parseOrder('["B", "A"]').names).toEqual(["B", "A"]);
    expect(parseOrder(undefined).problem).toMatch(/missing/);
    expect(parseOrder("[").problem).toMatch(/not JSON/);
    expect(parseOrder('{"a": 1}').problem).toMatch(/not a list/);
    expect(parseOrder("[1]").problem).toMatch(/not a list/);
    expect(parseOrder(writeOrder(["A"])).names).toEqual(["A"]);
  });

  it("shows applied passes in order, then those left out; helpers are no passes", () => {
    const files = { "A.py": "def pattern(x):\n    return x", "B.py": "def pattern(x): ...", "helper.py": "def launch(x): ...", [ORDER_FILE]: "" };
    expect(orderRows(files, ["B", "Gone", "B"])).toEqual([
      { name: "B", file: "B.py", included: true, problem: null },
      { name: "Gone", file: "Gone.py", included: true, problem: "file missing" },
      { name: "B", file: "B.py", included: true, problem: "listed twice" },
      { name: "A", file: "A.py", included: false, problem: null },
    ]);
    expect(isPass("sub/A.py", "def pattern(x): ...")).toBe(false);
    expect(isPass("A.py", "# def pattern(x)\npattern = build()")).toBe(true);
  });

  it("moves within bounds", () => {
    expect(moved(["a", "b", "c"], 0, 1)).toEqual(["b", "a", "c"]);
    expect(moved(["a", "b", "c"], 2, -5)).toEqual(["c", "a", "b"]);
    expect(moved(["a", "b", "c"], 0, 9)).toEqual(["b", "c", "a"]);
    expect(moved(["a"], 4, 0)).toEqual(["a"]);
  });

  it("wants names that Python can import", () => {
    expect(nameProblem("FuseA.py", [])).toBeNull();
    for (const name of ["", "FuseA", "1a.py", "a b.py", "../a.py", "taken.py", "class.py", "torch.py", `${"a".repeat(198)}.py`]) expect(nameProblem(name, ["taken.py"])).not.toBeNull();
    expect(freeName(["FusePass.py", "FusePass2.py"])).toBe("FusePass3.py");
  });
});

describe("smallestEdit", () => {
  it("touches only what changed", () => {
    expect(smallestEdit("abc", "abc")).toBeNull();
    expect(smallestEdit("abXcd", "abYYcd")).toEqual({ start: 2, end: 3, text: "YY" });
    expect(smallestEdit("aaa", "aaaa")).toEqual({ start: 3, end: 3, text: "a" });
    expect(smallestEdit("one", "")).toEqual({ start: 0, end: 3, text: "" });
  });

  it("gives the new text when applied", () => {
    const texts = ["", "a", "ab", "aba", "abab", "bab", "x", "axb"];
    for (const before of texts) for (const after of texts) {
      const edit = smallestEdit(before, after);
      const applied = edit === null ? before : before.slice(0, edit.start) + edit.text + before.slice(edit.end);
      expect(applied).toBe(after);
    }
  });
});

it("compares sets of files", () => {
  expect(sameFiles({ a: "1" }, { a: "1" })).toBe(true);
  expect(sameFiles({ a: "1" }, { b: "1" })).toBe(false);
  expect(differing({ a: "1", b: "2" }, { a: "1", b: "3", c: "" })).toEqual(["b", "c"]);
});

describe("newestKept", () => {
  function storage(entries: Record<string, string>): Storage {
    const map = new Map(Object.entries(entries));
    return {
      get length() { return map.size; },
      key: (index: number) => [...map.keys()][index] ?? null,
      getItem: (key: string) => map.get(key) ?? null,
      setItem: (key: string, value: string) => void map.set(key, value),
      removeItem: (key: string) => void map.delete(key),
      clear: () => map.clear(),
    };
  }
  const kept = (at: number) => JSON.stringify({ files: { "a.py": String(at) }, version: 1, at });

  it("takes the newest of this account and task and drops what is broken or very old", () => {
    const day = 24 * 3600 * 1000;
    const now = 100 * day;
    const store = storage({
      "passnet.draft.ada.pool.x": kept(now - day), "passnet.draft.ada.pool.y": kept(now - 2 * day), "passnet.draft.ada.pool.old": kept(now - 90 * day),
      "passnet.draft.ada.pool.bad": "{", "passnet.draft.ada.other.z": kept(now), "passnet.draft.bob.pool.z": kept(now),
    });
    expect(newestKept("ada", "pool", store, now)?.kept.files).toEqual({ "a.py": String(now - day) });
    expect(store.length).toBe(4);
    expect(newestKept("ada", "none", store, now)).toBeNull();
  });
});
