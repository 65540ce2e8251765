/** Saves a draft as it is typed: debounced, versioned, kept in this browser while the server is away. No DOM, no framework. */

import type { Files, SavedDraft } from "../api";
import { ApiError } from "../api";
import { sameFiles } from "./edits";

export type SaveState =
  | { kind: "saved"; at: string | null }
  | { kind: "pending" }
  | { kind: "saving" }
  | { kind: "offline" }
  | { kind: "failed"; message: string; code: string }
  | { kind: "conflict"; files: Files; version: number; hash: string };

export interface Backup {
  write(files: Files, version: number): void;
  clear(): void;
}

export interface AutosaveDeps {
  save(files: Files, version: number): Promise<SavedDraft>;
  backup: Backup;
  onState(state: SaveState): void;
  /** ISO time of now, for "saved 12:01". */
  now(): string;
}

const SAVE_AFTER_MS = 700;
const RETRY_MS = [2000, 4000, 8000, 15000, 30000];

export class Autosave {
  /** What the server has, and the hash it calls that by. */
  saved: Files;
  hash: string;
  private version: number;
  private current: Files;
  private state: SaveState;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private failures = 0;
  private inFlight: Promise<void> | null = null;

  constructor(
    draft: { files: Files; version: number; hash: string; updated_at: string | null },
    private readonly deps: AutosaveDeps,
  ) {
    this.saved = draft.files;
    this.current = draft.files;
    this.version = draft.version;
    this.hash = draft.hash;
    this.state = { kind: "saved", at: draft.updated_at };
  }

  get dirty(): boolean {
    return !sameFiles(this.current, this.saved);
  }

  changed(files: Files): void {
    this.current = files;
    if (this.state.kind === "conflict") {
      this.deps.backup.write(files, this.version);
      return;
    }
    if (!this.dirty && this.inFlight === null) {
      this.settle();
      return;
    }
    this.deps.backup.write(files, this.version);
    if (this.state.kind !== "offline") this.set({ kind: "pending" });
    this.schedule(SAVE_AFTER_MS);
  }

  /** Saves what is there now; resolves when it has been saved, refused or put off. */
  async flush(): Promise<void> {
    this.cancelTimer();
    if (this.inFlight !== null) await this.inFlight;
    if (!this.dirty || this.state.kind === "conflict") return;
    this.inFlight = this.send();
    await this.inFlight;
  }

  /** Ends a conflict: the server's version is accepted as the base, `files` is what the author decided on. */
  resolve(files: Files): void {
    if (this.state.kind !== "conflict") return;
    this.adopt(this.state.files, this.state.version, this.state.hash);
    this.current = files;
    this.set({ kind: "pending" });
    if (this.dirty) void this.flush();
    else this.settle();
  }

  private adopt(files: Files, version: number, hash: string): void {
    this.saved = files;
    this.version = version;
    this.hash = hash;
  }

  private async send(): Promise<void> {
    const files = this.current;
    this.set({ kind: "saving" });
    try {
      const { version, hash } = await this.deps.save(files, this.version);
      this.adopt(files, version, hash);
      this.failures = 0;
    } catch (problem) {
      this.inFlight = null;
      this.refused(problem);
      return;
    }
    this.inFlight = null;
    if (this.dirty) {
      this.set({ kind: "pending" });
      this.deps.backup.write(this.current, this.version);
      this.schedule(SAVE_AFTER_MS);
    } else this.settle();
  }

  private refused(problem: unknown): void {
    if (!(problem instanceof ApiError)) throw problem;
    if (problem.status === 409) {
      const { files, version, hash = "" } = problem.body as unknown as { files: Files; version: number; hash?: string };
      // Another tab saved the very same text: nothing to decide.
      if (sameFiles(files, this.current)) {
        this.adopt(files, version, hash);
        this.settle();
      } else this.set({ kind: "conflict", files, version, hash });
      return;
    }
    const later = problem.offline || problem.status >= 500 || problem.status === 429;
    this.set(later ? { kind: "offline" } : { kind: "failed", message: problem.message, code: problem.code });
    if (later) this.schedule(RETRY_MS[Math.min(this.failures++, RETRY_MS.length - 1)]!);
  }

  private settle(): void {
    this.cancelTimer();
    this.deps.backup.clear();
    this.set({ kind: "saved", at: this.deps.now() });
  }

  private schedule(delay: number): void {
    this.cancelTimer();
    this.timer = setTimeout(() => void this.flush(), delay);
  }

  private cancelTimer(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private set(state: SaveState): void {
    this.state = state;
    this.deps.onState(state);
  }
}
