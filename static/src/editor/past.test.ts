import { describe, expect, it } from "vitest";
import type { Past } from "./past";
import { MOST_TEXT, noted, Pasts, STEPS, texts } from "./past";

/** The past of the last of some texts that followed each other. */
const past = (...all: string[]): Past | null => all.slice(1).reduce<Past | null>((before, text, at) => noted(before, all[at]!, text), null);

function storage(): Storage {
  const kept = new Map<string, string>();
  return {
    get length() { return kept.size; },
    key: (at: number) => [...kept.keys()][at] ?? null,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
    clear: () => kept.clear(),
  };
}

describe("the past of a file", () => {
  it("leads back through every text, and to none where the text is another", () => {
    const all = ["", "a = 1\n", "a = 12\n", "b\n", "b\nü = 2\n"];
    expect(texts(past(...all), all.at(-1)!)).toEqual(all);
    expect(texts(past(...all), "b\nü = 3\n")).toEqual(["b\nü = 3\n"]);
    expect(texts(null, "x")).toEqual(["x"]);
  });

  it("begins anew where a text came from elsewhere, and drops the oldest", () => {
    expect(texts(noted(past("a", "ab"), "other", "other!"), "other!")).toEqual(["other", "other!"]);
    const steps = past(...Array.from({ length: STEPS + 20 }, (_, at) => "x".repeat(at)))!;
    expect(steps.back.length).toBe(STEPS);
    expect(past("y".repeat(MOST_TEXT), "", "z")!.back).toEqual([{ start: 0, end: 1, text: "" }, { start: 0, end: 0, text: "y".repeat(MOST_TEXT) }]);
    expect(past("y".repeat(MOST_TEXT + 1), "", "z")!.back.length).toBe(1);
  });

  it("is each person's and task's own, and never a reason to fail", () => {
    const kept = storage();
    new Pasts("ann", "gelu", kept).keep("A.py", past("a", "ab")!, 1);
    expect(texts(new Pasts("ann", "gelu", kept).of("A.py"), "ab")).toEqual(["a", "ab"]);
    expect([new Pasts("bob", "gelu", kept).of("A.py"), new Pasts("ann", "norm", kept).of("A.py"), new Pasts("ann", "gelu", kept).of("constructor")]).toEqual([null, null, null]);
    kept.setItem("passnet.past.ann.gelu", '{"at": 1, "files": {"A.py": {"length": 2, "hash": 3, "back": [{"start": "0"}]}}}');
    expect(new Pasts("ann", "gelu", kept).of("A.py")).toBeNull();
    for (let task = 0; task < 25; task++) new Pasts("ann", `task-${task}`, kept).keep("A.py", past("a", "ab")!, 10 + task);
    expect([kept.length, kept.getItem("passnet.past.ann.task-4"), kept.getItem("passnet.past.ann.task-5") !== null]).toEqual([20, null, true]);
  });
});
