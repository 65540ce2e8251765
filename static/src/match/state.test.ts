import { describe, expect, it } from "vitest";
import type { LiveState } from "./state";
import { ask, countText, isEarlier, NOTHING, passOfMatch, receive, tally } from "./state";

const graph = (version: number, name: string, matches: number, pass = "Fuse") => ({ type: "graph", version, graph: name, matches, per_pass: { [pass]: matches }, nodes: [], near_misses: [], notes: [] });
const hear = (state: LiveState, ...messages: Record<string, unknown>[]): LiveState => messages.reduce(receive, state);

describe("answers", () => {
  it("are kept for the newest text alone", () => {
    const state = hear(ask(NOTHING, 2), graph(1, "a", 5), graph(2, "b", 1), { type: "done", version: 1 });
    expect(Object.keys(state.answers)).toEqual(["b"]);
    expect(state.done).toBe(0);
    expect(hear(state, { type: "done", version: 2 }).done).toBe(2);
  });

  it("stay as those of an earlier text when the newest can not be matched, and come back", () => {
    const first = hear(ask(NOTHING, 1), graph(1, "a", 2), { type: "done", version: 1 });
    const broken = hear(ask(first, 2), { type: "failed", version: 2, kind: "bad_submission", message: "A.py:3: is not valid Python" });
    expect(broken.problem?.message).toContain("A.py:3");
    expect(isEarlier(broken, broken.answers["a"]!)).toBe(true);
    expect(countText(broken, "a")).toBe("");
    const mended = hear(ask(broken, 3), graph(3, "a", 1));
    expect([mended.problem, isEarlier(mended, mended.answers["a"]!), countText(mended, "a")]).toEqual([null, false, "● 1"]);
  });

  it("are not called earlier while the next one is on its way", () => {
    const first = hear(ask(NOTHING, 1), graph(1, "a", 2), { type: "done", version: 1 });
    const asked = ask(first, 2);
    expect(isEarlier(asked, asked.answers["a"]!)).toBe(false);
  });

  it("count graphs, and for one pass", () => {
    const state = hear(ask(NOTHING, 1), graph(1, "a", 2), graph(1, "b", 0), graph(1, "c", 1, "Other"));
    expect(tally(state)).toEqual({ hit: 2, answered: 3 });
    expect(tally(state, "Fuse")).toEqual({ hit: 1, answered: 3 });
    expect([countText(state, "a"), countText(state, "b"), countText(state, "constructor")]).toEqual(["● 2", "■ 0", ""]);
  });

  it("say why a graph has none", () => {
    const state = receive(ask(NOTHING, 1), { type: "unreadable", version: 1, graph: "a", message: "model.py:3: `os.system`" });
    expect([state.unreadable, state.answers]).toEqual([{ a: "model.py:3: `os.system`" }, {}]);
  });

  it("end the message that nobody matches", () => {
    const offline = receive(ask(NOTHING, 1), { type: "offline", message: "It does not answer." });
    expect(offline.offline).toBe("It does not answer.");
    expect(receive(offline, graph(1, "a", 0)).offline).toBeNull();
  });
});

it("knows whose match it is", () => {
  expect([0, 1, 2, 3].map((match) => passOfMatch({ A: 1, B: 0, C: 2 }, match))).toEqual(["A", "C", "C", null]);
});
