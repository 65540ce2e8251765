/**
 * The page's end of the language servers: opened by the first text, kept at the newest text, opened again when it is lost,
 * later each time. Whoever asks while they are off is told "nothing". No DOM: everything it needs is handed in.
 */

import type { Files } from "../api";
import type { Change } from "./text";
import { changesBetween } from "./text";

export interface Socket {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
}

/** When an end of the servers is over: by itself, with a click into the page, with the next key, or not at all. */
export type Again = "later" | "focus" | "typing" | "never";
export type LanguageState = { kind: "starting" } | { kind: "on" } | { kind: "off"; message: string; again: Again };

export interface SessionDeps {
  open(): Socket;
  files(): Files;
  onState(state: LanguageState): void;
  onDiagnostics(server: string, file: string, found: readonly unknown[]): void;
}

export const PAUSE_MS = 120;
export const AGAIN_MS = [1000, 5000, 20_000, 60_000];
/** Servers that ran for so long were sound: the next loss is the first one again. */
export const SOUND_MS = 60_000;
export const ANSWER_MS = 8000;
const FOR_GOOD: Record<number, string> = {
  4401: "you are not logged in any more",
  4403: "your account may not use it",
};
const LOST = "the connection is lost; it is made again by itself";

type Answer = (result: unknown) => void;

export class LanguageSession {
  private socket: Socket | null = null;
  private state: LanguageState = { kind: "starting" };
  private sent: Files = {};
  private version = 1;
  private failures = 0;
  private onSince = 0;
  private count = 0;
  private readonly asked = new Map<number, Answer>();
  private sending: ReturnType<typeof setTimeout> | null = null;
  private reopening: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly deps: SessionDeps) {}

  /** The files have changed, or are there for the first time. */
  changed(): void {
    if (this.state.kind === "off" && this.state.again === "typing") this.wake();
    else if (this.socket === null && this.reopening === null && this.state.kind === "starting") this.open();
    else if (this.sending === null) this.sending = setTimeout(() => this.flush(), PAUSE_MS);
  }

  /** Somebody has come back to the page. */
  focused(): void {
    if (this.state.kind === "off" && this.state.again === "focus") this.wake();
  }

  /** The answer to a question about a place in a file; null when there is none. */
  ask(method: string, file: string, params: Record<string, unknown>): Promise<unknown> {
    return this.request({ type: "ask", method, file, params });
  }

  /** A file of the packages. */
  source(uri: string): Promise<unknown> {
    return this.request({ type: "source", uri });
  }

  stop(): void {
    for (const timer of [this.sending, this.reopening]) if (timer !== null) clearTimeout(timer);
    this.sending = this.reopening = null;
    this.leave();
  }

  private wake(): void {
    this.say({ kind: "starting" });
    if (this.socket === null) this.open();
  }

  private request(message: Record<string, unknown>): Promise<unknown> {
    if (this.state.kind !== "on") return Promise.resolve(null);
    this.flush();
    const id = ++this.count;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.answer(id, null), ANSWER_MS);
      this.asked.set(id, (result) => {
        clearTimeout(timer);
        resolve(result);
      });
      this.send({ ...message, id });
    });
  }

  private answer(id: number, result: unknown): void {
    const told = this.asked.get(id);
    this.asked.delete(id);
    told?.(result);
  }

  private open(): void {
    const socket = this.deps.open();
    this.socket = socket;
    socket.onopen = () => this.start();
    socket.onmessage = ({ data }) => this.hear(data);
    socket.onclose = ({ code }) => {
      this.leave();
      const { state } = this;
      if (state.kind === "off" && state.again !== "later") return; // it has said why
      const reason = FOR_GOOD[code];
      if (reason !== undefined) this.turnOff(reason, "never");
      else this.turnOff(state.kind === "off" ? state.message : LOST, "later"); // nobody there yet: it is tried again
    };
  }

  private leave(): void {
    const { socket } = this;
    this.socket = null;
    for (const id of [...this.asked.keys()]) this.answer(id, null);
    if (socket === null) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  /** Opens the files as they are now. */
  private start(): void {
    this.sent = this.deps.files();
    this.version = 1;
    this.say({ kind: "starting" });
    this.send({ type: "start", files: this.sent });
  }

  private flush(): void {
    if (this.sending !== null) clearTimeout(this.sending);
    this.sending = null;
    if (this.state.kind !== "on") return; // what was typed until then is sent with "ready"
    const now = this.deps.files();
    const names = Object.keys(now);
    if (names.length !== Object.keys(this.sent).length || !names.every((name) => Object.hasOwn(this.sent, name))) {
      this.start(); // servers look for modules among files that exist
      return;
    }
    for (const file of names) {
      const changes: Change[] = changesBetween(this.sent[file]!, now[file]!);
      if (changes.length > 0) this.send({ type: "change", file, version: ++this.version, changes });
    }
    this.sent = now;
  }

  private send(message: Record<string, unknown>): void {
    this.socket?.send(JSON.stringify(message));
  }

  private hear(data: unknown): void {
    let said: unknown;
    try {
      said = typeof data === "string" ? JSON.parse(data) : null;
    } catch {
      return;
    }
    if (typeof said !== "object" || said === null) return;
    const message = said as Record<string, unknown>;
    if (message["type"] === "ready") {
      this.onSince = Date.now();
      this.say({ kind: "on" });
      this.flush();
    } else if (message["type"] === "answer") this.answer(Number(message["id"]), message["result"]);
    else if (message["type"] === "diagnostics" && Array.isArray(message["diagnostics"])) {
      this.deps.onDiagnostics(String(message["server"]), String(message["file"]), message["diagnostics"]);
    } else if (message["type"] === "off") {
      const again = (["later", "focus", "typing", "never"] as const).find((word) => word === message["again"]) ?? "later";
      this.leave();
      this.turnOff(String(message["message"]), again);
    }
  }

  private turnOff(message: string, again: Again): void {
    if (this.state.kind === "on" && Date.now() - this.onSince > SOUND_MS) this.failures = 0;
    this.say({ kind: "off", message, again });
    if (again !== "later" || this.reopening !== null) return;
    this.reopening = setTimeout(() => {
      this.reopening = null;
      if (this.socket === null) this.open();
    }, AGAIN_MS[Math.min(this.failures++, AGAIN_MS.length - 1)]!);
  }

  private say(state: LanguageState): void {
    // While it is tried again and again the page keeps saying that completion is off, and why.
    if (state.kind === "starting" && this.state.kind === "off" && this.state.again === "later") return;
    this.state = state;
    this.deps.onState(state);
  }
}
