/**
 * Follows the log of one run. The socket only says that there is news; rows are always read by number, so a cut socket,
 * a sleeping laptop or a reload lose nothing. Without a socket it polls. No DOM: everything it needs is handed in.
 */

import type { EventPage } from "../api";
import type { RunEvent } from "../events";
import { isFinal } from "../vocabulary";

/** connecting → live; reconnecting (socket lost, rows polled); stale (nothing heard, being replaced); closed (run ended). */
export type Connection = "connecting" | "live" | "reconnecting" | "stale" | "closed";

export interface Socket {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
}

export interface StreamDeps {
  events(after: number): Promise<EventPage>;
  open(): Socket;
  onEvents(events: RunEvent[]): void;
  onState(state: string): void;
  onConnection(connection: Connection): void;
  onEnd(): void;
}

export const PING_MS = 15_000;
export const PONG_MS = 8_000;
export const POLL_MS = 2_000;
const RECONNECT_MS = [500, 1000, 2000, 4000, 8000, 15_000];

export class RunStream {
  private have = 0;
  private stopped = false;
  private pulling = false;
  private pullAgain = false;
  private socket: Socket | null = null;
  private failures = 0;
  private connection: Connection = "connecting";
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(private readonly deps: StreamDeps) {}

  start(): void {
    this.deps.onConnection(this.connection);
    this.connect();
    this.pull();
  }

  /** Stops for good, without onEnd: another run is shown. */
  stop(): void {
    this.stopped = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
    this.dropSocket();
  }

  /** The tab woke up or the network came back: do not wait for a timer. */
  nudge(): void {
    if (this.stopped) return;
    this.pull();
    if (this.socket === null) this.connect();
    else this.ping();
  }

  private connect(): void {
    this.dropSocket();
    let socket: Socket;
    try {
      socket = this.deps.open();
    } catch {
      this.lost("reconnecting");
      return;
    }
    this.socket = socket;
    socket.onopen = () => {
      this.failures = 0;
      this.set("live");
      this.after("ping", PING_MS, () => this.ping());
      this.pull();
    };
    socket.onmessage = ({ data }) => {
      this.clear("pong");
      if (this.connection === "stale") this.set("live");
      const news = readNews(data);
      if (news !== null && (news.seq > this.have || isFinal(news.state))) this.pull();
    };
    socket.onclose = () => this.lost("reconnecting");
  }

  private ping(): void {
    if (this.socket === null) return;
    try {
      this.socket.send(JSON.stringify({ type: "ping" }));
    } catch {
      this.lost("reconnecting");
      return;
    }
    // A dead network fires no close event: silence is the only sign.
    this.after("pong", PONG_MS, () => this.lost("stale"));
    this.after("ping", PING_MS, () => this.ping());
  }

  private lost(how: "reconnecting" | "stale"): void {
    if (this.stopped) return;
    this.dropSocket();
    this.set(how);
    this.after("connect", RECONNECT_MS[Math.min(this.failures++, RECONNECT_MS.length - 1)]!, () => this.connect());
    this.after("poll", POLL_MS, () => this.poll());
  }

  private poll(): void {
    if (this.connection === "live") return;
    this.pull();
    this.after("poll", POLL_MS, () => this.poll());
  }

  private pull(): void {
    if (this.stopped) return;
    if (this.pulling) {
      this.pullAgain = true;
      return;
    }
    this.pulling = true;
    void this.read();
  }

  private async read(): Promise<void> {
    try {
      for (;;) {
        this.pullAgain = false;
        const page = await this.deps.events(this.have);
        if (this.stopped) return;
        if (page.events.length > 0) {
          this.have = Math.max(this.have, ...page.events.map((event) => event.seq));
          this.deps.onEvents(page.events);
        }
        this.deps.onState(page.state);
        if (page.events.length > 0) continue; // ends on an empty page only: the state may have changed while we read
        if (isFinal(page.state)) {
          this.finish();
          return;
        }
        if (!this.pullAgain) break;
      }
      this.clear("retry");
      if (this.connection === "stale" && this.socket !== null) this.set("live");
    } catch {
      if (this.connection === "live") this.set("stale");
      this.after("retry", POLL_MS, () => this.pull());
    } finally {
      this.pulling = false;
    }
  }

  private finish(): void {
    this.stop();
    this.set("closed");
    this.deps.onEnd();
  }

  private dropSocket(): void {
    const socket = this.socket;
    this.socket = null;
    this.clear("ping");
    this.clear("pong");
    if (socket === null) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  private set(connection: Connection): void {
    if (connection === this.connection) return;
    this.connection = connection;
    this.deps.onConnection(connection);
  }

  private after(name: string, delay: number, action: () => void): void {
    this.clear(name);
    this.timers.set(name, setTimeout(() => {
      this.timers.delete(name);
      action();
    }, delay));
  }

  private clear(name: string): void {
    const timer = this.timers.get(name);
    if (timer !== undefined) clearTimeout(timer);
    this.timers.delete(name);
  }
}

function readNews(data: unknown): { seq: number; state: string } | null {
  if (typeof data !== "string") return null;
  try {
    const value = JSON.parse(data) as { type?: unknown; seq?: unknown; state?: unknown } | null;
    if (value?.type !== "news" || typeof value.seq !== "number") return null;
    return { seq: value.seq, state: typeof value.state === "string" ? value.state : "" };
  } catch {
    return null;
  }
}
