import { describe, expect, it } from "vitest";
import { EMPTY, take, usageWords } from "./log";
import type { ChatEvent } from "./types";

let seq = 0;
const event = (kind: string, payload: Record<string, unknown>): ChatEvent => ({ seq: ++seq, kind, payload, at: "" });
const view = (...events: ChatEvent[]) => events.reduce(take, EMPTY);

const call = { id: "a", type: "function", function: { name: "view_file", arguments: '{"name":"A.py"}' } };
const asked = event("message", { role: "user", content: "long", shown: "/fix it" });
const calls = event("message", { role: "assistant", content: "I look.", tool_calls: [call], stop: "tools", problem: "", model: "m", prompts: [{ name: "chat", version: 1, hash: "x" }] });

describe("a conversation's log", () => {
  it("shows what the person wrote, not what went along", () => {
    expect(view(asked).items).toMatchObject([{ kind: "person", text: "/fix it" }]);
  });

  it("replaces the pieces of an answer by the whole", () => {
    const pieces = [event("state", { state: "running", message: "" }), event("delta", { text: "I " }), event("delta", { text: "lo" })];
    expect(view(...pieces)).toMatchObject({ running: true, writing: "I lo", items: [] });
    expect(view(...pieces, calls)).toMatchObject({ writing: "", items: [{ kind: "answer", text: "I look.", prompts: "chat 1" }, { kind: "tool", name: "view_file", result: null }] });
  });

  it("puts a result to its call", () => {
    const busy = view(calls, event("doing", { tool: "view_file", what: "waits" }));
    expect(busy.items[1]).toMatchObject({ kind: "tool", doing: "waits", result: null });
    const done = view(calls, event("message", { role: "tool", tool_call_id: "a", content: "x = 1", ok: true }));
    expect(done.items[1]).toMatchObject({ result: "x = 1", ok: true, doing: "" });
  });

  it("says why a turn ended", () => {
    const ended = view(event("state", { state: "running", message: "" }), event("delta", { text: "half" }), event("state", { state: "idle", message: "Cancelled." }));
    expect(ended).toMatchObject({ running: false, writing: "", items: [{ kind: "note", tone: "fail", text: "Cancelled." }] });
  });

  it("adds up tokens and cost, and says what is not known", () => {
    const used = { input: 1200, output: 30, estimated: false, cost: "0.0015", currency: "USD" };
    expect(usageWords(view())).toBe("");
    expect(usageWords(view(event("usage", used), event("usage", used)))).toBe("2,400 tokens in, 60 out · 0.00300 USD");
    expect(usageWords(view(event("usage", used), event("usage", { ...used, cost: null, estimated: true })))).toBe("2,400 tokens in, 60 out (partly estimated) · cost not known: no price was entered");
  });

  it("leaves kinds alone that it does not know", () => {
    expect(view(event("later", { x: 1 }))).toEqual(EMPTY);
  });
});
