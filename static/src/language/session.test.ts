import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Files } from "../api";
import type { LanguageState, Socket } from "./session";
import { AGAIN_MS, ANSWER_MS, LanguageSession, PAUSE_MS } from "./session";

class Fake implements Socket {
  sent: Record<string, unknown>[] = [];
  closed = false;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }
  close(): void {
    this.closed = true;
  }
  say(message: Record<string, unknown>): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

function setUp(files: Files = { "A.py": "x = 1\n" }) {
  const opened: Fake[] = [];
  const states: LanguageState[] = [];
  const marks: unknown[][] = [];
  const now = { files };
  const session = new LanguageSession({
    open: () => {
      opened.push(new Fake());
      return opened.at(-1)!;
    },
    files: () => now.files,
    onState: (state) => states.push(state),
    onDiagnostics: (server, file, list) => marks.push([server, file, list]),
  });
  const start = (): Fake => {
    session.changed();
    const socket = opened.at(-1)!;
    socket.onopen!();
    socket.say({ type: "ready" });
    return socket;
  };
  return { session, opened, states, marks, now, start };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("LanguageSession", () => {
  it("opens the files, and sends what was typed meanwhile when the servers are ready", () => {
    const { session, opened, now, states } = setUp();
    session.changed();
    opened[0]!.onopen!();
    now.files = { "A.py": "x = 12\n" };
    session.changed();
    expect(opened[0]!.sent).toEqual([{ type: "start", files: { "A.py": "x = 1\n" } }]);
    opened[0]!.say({ type: "ready" });
    const range = { start: { line: 0, character: 5 }, end: { line: 0, character: 5 } };
    expect(opened[0]!.sent[1]).toEqual({ type: "change", file: "A.py", version: 2, changes: [{ range, text: "2" }] });
    expect(states.at(-1)).toEqual({ kind: "on" });
  });

  it("sends one change for many keys, and before a question", async () => {
    const { session, now, start } = setUp();
    const socket = start();
    now.files = { "A.py": "xy = 1\n" };
    session.changed();
    now.files = { "A.py": "xyz = 1\n" };
    session.changed();
    expect(socket.sent).toHaveLength(1);
    const asked = session.ask("textDocument/hover", "A.py", { position: { line: 0, character: 0 } });
    expect(socket.sent.map((one) => one["type"])).toEqual(["start", "change", "ask"]);
    await vi.advanceTimersByTimeAsync(PAUSE_MS);
    expect(socket.sent).toHaveLength(3);
    socket.say({ type: "answer", id: socket.sent[2]!["id"], result: "known" });
    expect(await asked).toBe("known");
  });

  it("starts anew when a file comes or goes", async () => {
    const { session, now, start } = setUp();
    const socket = start();
    now.files = { ...now.files, "helper.py": "" };
    session.changed();
    await vi.advanceTimersByTimeAsync(PAUSE_MS);
    expect(socket.sent[1]).toEqual({ type: "start", files: now.files });
  });

  it("is answered with nothing while it is off, when it is lost, and when nobody answers", async () => {
    const { session, opened, start } = setUp();
    expect(await session.ask("textDocument/hover", "A.py", {})).toBeNull();
    start();
    const slow = session.ask("textDocument/hover", "A.py", {});
    await vi.advanceTimersByTimeAsync(ANSWER_MS);
    expect(await slow).toBeNull();
    const lost = session.ask("textDocument/hover", "A.py", {});
    opened[0]!.onclose!({ code: 1006 });
    expect(await lost).toBeNull();
  });

  it("comes back after a loss, later each time, and says all the while that it is off", async () => {
    const { opened, states, start } = setUp();
    start().onclose!({ code: 1006 });
    expect(states.at(-1)).toMatchObject({ kind: "off", again: "later" });
    for (const [index, wait] of [...AGAIN_MS, AGAIN_MS.at(-1)!].entries()) {
      await vi.advanceTimersByTimeAsync(wait - 1);
      expect(opened).toHaveLength(index + 1);
      await vi.advanceTimersByTimeAsync(1);
      expect(opened).toHaveLength(index + 2);
      opened.at(-1)!.onopen!();
      opened.at(-1)!.say({ type: "off", message: "nobody", again: "later" });
      expect(states.at(-1)).toEqual({ kind: "off", message: "nobody", again: "later" });
      expect(opened.at(-1)!.closed).toBe(true);
    }
    await vi.advanceTimersByTimeAsync(AGAIN_MS.at(-1)!);
    opened.at(-1)!.onopen!();
    opened.at(-1)!.say({ type: "ready" });
    expect(states.at(-1)).toEqual({ kind: "on" });
  });

  it("goes on trying where nobody answers, as while the server is started anew", async () => {
    const { opened, states, start } = setUp();
    start().say({ type: "off", message: "the server has ended", again: "later" });
    for (const wait of [AGAIN_MS[0]!, AGAIN_MS[1]!]) {
      await vi.advanceTimersByTimeAsync(wait);
      opened.at(-1)!.onclose!({ code: 1006 });
      expect(states.at(-1)).toEqual({ kind: "off", message: "the server has ended", again: "later" });
    }
    await vi.advanceTimersByTimeAsync(AGAIN_MS[2]!);
    expect(opened).toHaveLength(4);
    opened.at(-1)!.onopen!();
    opened.at(-1)!.say({ type: "ready" });
    expect(states.at(-1)).toEqual({ kind: "on" });
  });

  it("waits for a click when another page has the servers, for a key after a rest, and for nothing when switched off", async () => {
    for (const again of ["focus", "typing", "never"] as const) {
      const { session, opened, start } = setUp();
      start().say({ type: "off", message: "why", again });
      await vi.advanceTimersByTimeAsync(10 * AGAIN_MS.at(-1)!);
      expect(opened).toHaveLength(1);
      session.changed();
      expect(opened).toHaveLength(again === "typing" ? 2 : 1);
      session.focused();
      expect(opened).toHaveLength(again === "never" ? 1 : 2);
    }
  });

  it("does not come back to a server that it may not use", async () => {
    const { opened, states, start } = setUp();
    start().onclose!({ code: 4401 });
    await vi.advanceTimersByTimeAsync(10 * AGAIN_MS.at(-1)!);
    expect(opened).toHaveLength(1);
    expect(states.at(-1)).toEqual({ kind: "off", message: "you are not logged in any more", again: "never" });
  });

  it("passes diagnostics on and survives nonsense", () => {
    const { marks, start } = setUp();
    const socket = start();
    socket.onmessage!({ data: "{" });
    socket.onmessage!({ data: "null" });
    socket.say({ type: "diagnostics", server: "types", file: "A.py", diagnostics: [1] });
    socket.say({ type: "answer", id: 99, result: null });
    expect(marks).toEqual([["types", "A.py", [1]]]);
  });
});
