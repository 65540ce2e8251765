import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EventPage } from "../api";
import { WHOLE_RUN } from "../__fixtures__/events";
import type { Connection, Socket } from "./stream";
import { PING_MS, POLL_MS, PONG_MS, RunStream } from "./stream";

/** A server with a log that grows, and sockets that can be cut or go silent. */
function world() {
  const server = { length: 0, state: "running", down: false, pageSize: 5 };
  const sockets: (Socket & { sent: string[]; closed: boolean })[] = [];
  const seen: number[] = [];
  const connections: Connection[] = [];
  let ended = 0;
  const stream = new RunStream({
    events: async (after): Promise<EventPage> => {
      if (server.down) throw new Error("down");
      const events = WHOLE_RUN.slice(0, server.length).filter((event) => event.seq > after).slice(0, server.pageSize);
      return { events, last: server.length, state: server.state };
    },
    open: () => {
      const socket = { sent: [] as string[], closed: false, onopen: null, onmessage: null, onclose: null, send(text: string) { this.sent.push(text); }, close() { this.closed = true; } };
      sockets.push(socket);
      return socket;
    },
    onEvents: (events) => seen.push(...events.map((event) => event.seq)),
    onState: () => undefined,
    onConnection: (connection) => connections.push(connection),
    onEnd: () => ended++,
  });
  const news = () => sockets.at(-1)!.onmessage?.({ data: JSON.stringify({ type: "news", seq: server.length, state: server.state }) });
  return { server, sockets, seen, connections, stream, news, ended: () => ended };
}

const numbers = (to: number) => Array.from({ length: to }, (_, index) => index + 1);
const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("RunStream", () => {
  it("reads the log by number, page after page, when told of news", async () => {
    const { server, stream, sockets, seen, news, connections, ended } = world();
    server.length = 7;
    stream.start();
    await settle();
    sockets[0]!.onopen?.();
    expect(seen).toEqual(numbers(7));
    server.length = 19;
    server.state = "done";
    news();
    await settle();
    expect(seen).toEqual(numbers(19));
    expect(connections).toEqual(["connecting", "live", "closed"]);
    expect(ended()).toBe(1);
    expect(sockets[0]!.closed).toBe(true);
  });

  it("polls and reconnects after a cut, losing and repeating nothing", async () => {
    const { server, stream, sockets, seen, connections } = world();
    stream.start();
    sockets[0]!.onopen?.();
    server.length = 4;
    sockets[0]!.onclose?.();
    expect(connections.at(-1)).toBe("reconnecting");
    await vi.advanceTimersByTimeAsync(POLL_MS);
    expect(seen).toEqual(numbers(4));
    expect(sockets.length).toBeGreaterThan(1);
    sockets.at(-1)!.onopen?.();
    server.length = 6;
    await settle();
    await vi.advanceTimersByTimeAsync(0);
    expect(connections.at(-1)).toBe("live");
    expect(seen.slice(0, 4)).toEqual(numbers(4));
    expect(new Set(seen).size).toBe(seen.length);
  });

  it("calls a silent socket stale and replaces it", async () => {
    const { stream, sockets, connections } = world();
    stream.start();
    sockets[0]!.onopen?.();
    await vi.advanceTimersByTimeAsync(PING_MS);
    expect(JSON.parse(sockets[0]!.sent[0]!)).toEqual({ type: "ping" });
    sockets[0]!.onmessage?.({ data: '{"type":"pong"}' });
    await vi.advanceTimersByTimeAsync(PONG_MS);
    expect(connections.at(-1)).toBe("live");
    await vi.advanceTimersByTimeAsync(PING_MS + PONG_MS);
    expect(connections).toContain("stale");
    expect(sockets[0]!.closed).toBe(true);
    expect(sockets.length).toBeGreaterThan(1);
  });

  it("gets through a time when the server does not answer", async () => {
    const { server, stream, sockets, seen, news, connections } = world();
    stream.start();
    await settle();
    sockets[0]!.onopen?.();
    await settle();
    server.down = true;
    server.length = 3;
    news();
    await settle();
    expect(connections.at(-1)).toBe("stale");
    server.down = false;
    await vi.advanceTimersByTimeAsync(POLL_MS);
    expect(seen).toEqual(numbers(3));
    expect(connections.at(-1)).toBe("live");
  });

  it("says nothing more once stopped", async () => {
    const { server, stream, sockets, seen } = world();
    stream.start();
    await settle();
    stream.stop();
    server.length = 5;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(seen).toEqual([]);
    expect(sockets).toHaveLength(1);
  });

  it("ignores messages it does not understand", async () => {
    const { stream, sockets, seen } = world();
    stream.start();
    await settle();
    for (const data of ["{", "null", '{"type":"news"}', 7]) sockets[0]!.onmessage?.({ data });
    await settle();
    expect(seen).toEqual([]);
  });
});
