import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Socket } from "./socket";
import { AGAIN_MS, MatchSocket } from "./socket";

class Fake implements Socket {
  sent: { version: number }[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  send(text: string): void {
    this.sent.push(JSON.parse(text) as { version: number });
  }
  close(): void {}
}

function setUp() {
  const opened: Fake[] = [];
  const heard: Record<string, unknown>[] = [];
  const socket = new MatchSocket({
    open: () => {
      opened.push(new Fake());
      return opened.at(-1)!;
    },
    onMessage: (message) => heard.push(message),
  });
  return { socket, opened, heard };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("MatchSocket", () => {
  it("opens with the first text and sends only the newest that is there by then", () => {
    const { socket, opened } = setUp();
    socket.send({ version: 1 });
    socket.send({ version: 2 });
    expect(opened[0]!.sent).toEqual([]);
    opened[0]!.onopen!();
    socket.send({ version: 3 });
    expect([opened.length, opened[0]!.sent.map((one) => one.version)]).toEqual([1, [2, 3]]);
  });

  it("comes back by itself after a loss, later each time, with the newest text", async () => {
    const { socket, opened, heard } = setUp();
    socket.send({ version: 1 });
    opened[0]!.onclose!({ code: 1006 });
    expect(heard.at(-1)!["type"]).toBe("offline");
    socket.send({ version: 2 });
    expect(opened).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(AGAIN_MS[0]!);
    expect(opened).toHaveLength(2);
    opened[1]!.onclose!({ code: 1006 });
    await vi.advanceTimersByTimeAsync(AGAIN_MS[0]!);
    expect(opened).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(AGAIN_MS[1]!);
    opened[2]!.onopen!();
    expect(opened[2]!.sent).toEqual([{ version: 2 }]);
  });

  it("does not come back to a server that knows nobody of the name", async () => {
    const { socket, opened, heard } = setUp();
    socket.send({ version: 1 });
    opened[0]!.onclose!({ code: 4401 });
    await vi.advanceTimersByTimeAsync(100_000);
    expect(opened).toHaveLength(1);
    expect(heard.at(-1)!["message"]).toContain("logged in");
  });

  it("asks again when told to wait, and while nobody matches", async () => {
    const { socket, opened, heard } = setUp();
    socket.send({ version: 1 });
    opened[0]!.onopen!();
    opened[0]!.onmessage!({ data: '{"type": "refused", "version": 1, "retry_after": 0.5}' });
    expect(heard).toEqual([]);
    await vi.advanceTimersByTimeAsync(500);
    opened[0]!.onmessage!({ data: '{"type": "offline", "message": "It may be starting."}' });
    await vi.advanceTimersByTimeAsync(AGAIN_MS[0]!);
    expect(opened[0]!.sent).toHaveLength(3);
    expect(heard).toEqual([{ type: "offline", message: "It may be starting." }]);
    for (const nonsense of ["no json", "3", "null", 7]) opened[0]!.onmessage!({ data: nonsense });
    expect(heard).toHaveLength(1);
  });
});
