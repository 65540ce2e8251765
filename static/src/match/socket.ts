/**
 * The socket on which texts are matched: opened by the first text, opened again when it is lost, and only the newest text
 * is ever sent. No DOM: everything it needs is handed in.
 */

export interface Socket {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
}

export interface MatchSocketDeps {
  open(): Socket;
  onMessage(message: Record<string, unknown>): void;
}

export const AGAIN_MS = [1000, 3000, 10_000, 30_000];
/** The server says that it would be no use to come again. */
const FOR_GOOD: Record<number, string> = {
  4401: "You are not logged in any more. Log in again in another tab; the next run asks for it too.",
  4403: "Your account may not do this.",
  4404: "There is no such task.",
  4413: "The files are too large to be matched while you type. A run matches them.",
};

export class MatchSocket {
  private socket: Socket | null = null;
  private isOpen = false;
  private newest: string | null = null;
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly deps: MatchSocketDeps) {}

  send(message: Record<string, unknown>): void {
    this.newest = JSON.stringify(message);
    if (this.socket === null) {
      if (this.timer === null) this.connect();
    } else if (this.isOpen) this.deliver();
  }

  /** Sends the newest text once more, after a while that grows. */
  again(seconds: number | null = null): void {
    if (this.timer !== null) return;
    const wait = seconds === null ? AGAIN_MS[Math.min(this.failures++, AGAIN_MS.length - 1)]! : seconds * 1000;
    this.timer = setTimeout(() => {
      this.timer = null;
      if (this.socket === null) this.connect();
      else if (this.isOpen) this.deliver();
    }, wait);
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const { socket } = this;
    this.socket = null;
    if (socket === null) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  private connect(): void {
    const socket = this.deps.open();
    this.socket = socket;
    this.isOpen = false;
    socket.onopen = () => {
      this.isOpen = true;
      this.deliver();
    };
    socket.onmessage = ({ data }) => this.hear(data);
    socket.onclose = ({ code }) => {
      this.socket = null;
      this.isOpen = false;
      const reason = FOR_GOOD[code];
      this.deps.onMessage({ type: "offline", message: reason ?? "The connection to the server is lost; it is made again by itself." });
      if (reason === undefined) this.again();
    };
  }

  private deliver(): void {
    if (this.newest !== null) this.socket?.send(this.newest);
  }

  private hear(data: unknown): void {
    let message: unknown;
    try {
      message = typeof data === "string" ? JSON.parse(data) : null;
    } catch {
      return;
    }
    if (typeof message !== "object" || message === null) return;
    const said = message as Record<string, unknown>;
    if (said["type"] === "offline") this.again();
    else if (said["type"] === "refused" && typeof said["retry_after"] === "number") {
      this.again(said["retry_after"]);
      return;
    } else this.failures = 0;
    this.deps.onMessage(said);
  }
}
