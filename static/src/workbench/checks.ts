/** The static integrity check of what is being typed: asked for when the typing pauses. */

import { effect, signal } from "@preact/signals";
import type { Files } from "../api";
import { api, ApiError } from "../api";
import { sameFiles } from "../editor/edits";
import type { Finding } from "../events";
import { draft, files } from "./draft";
import { slug } from "./session";

export interface Checked {
  /** What the findings are about. */
  files: Files;
  findings: Finding[];
  /** Why there may be more than these; "" when everything was looked at. */
  problem: string;
}

/** The last answer; null before the first one. */
export const checked = signal<Checked | null>(null);

const PAUSE_MS = 400;
const RETRY_MS = 5000;

let waiting: ReturnType<typeof setTimeout> | null = null;
let asked: AbortController | null = null;

export function followChecks(): void {
  effect(() => {
    const set = files.value;
    if (draft.value.status === "ready") later(set, PAUSE_MS);
  });
}

function later(set: Files, ms: number): void {
  if (waiting !== null) clearTimeout(waiting);
  asked?.abort();
  waiting = setTimeout(() => void check(set), ms);
}

async function check(set: Files): Promise<void> {
  if (checked.peek() !== null && sameFiles(checked.peek()!.files, set)) return;
  const request = new AbortController();
  asked = request;
  try {
    const { findings, problem } = await api.check(slug.value, set, request.signal);
    if (!request.signal.aborted) checked.value = { files: set, findings, problem };
  } catch (problem) {
    // A run checks anyway; while typing, only what will pass by itself is tried again.
    if (!request.signal.aborted && problem instanceof ApiError && (problem.offline || problem.status === 429)) later(set, RETRY_MS);
  }
}
