/** Attempts without a person: begin some, hear how they are, pause, resume, stop. */

import { signal } from "@preact/signals";
import { call } from "../api";
import { files } from "../workbench/draft";
import { notify } from "../workbench/notices";
import { device } from "../workbench/runs";
import { slug } from "../workbench/session";
import type { Attempt } from "./attemptWords";

export interface Budget {
  steps: number;
  minutes: number;
  count: number;
  /** 0: no limit. */
  tokens: number;
  /** In the provider's currency. */
  cost?: string;
}

export const attempts = signal<Attempt[]>([]);

const complain = (problem: unknown): void => notify(problem instanceof Error ? problem.message : String(problem), { tone: "fail" });
const base = (): string => `/api/assistant/tasks/${encodeURIComponent(slug.value)}/attempts`;

export async function loadAttempts(): Promise<void> {
  try {
    attempts.value = (await call<{ attempts: Attempt[] }>("GET", base())).attempts;
  } catch (problem) {
    complain(problem);
  }
}

/** Raises what the API refuses. */
export async function beginAttempts(provider: number, goal: string, budget: Budget): Promise<Attempt[]> {
  const { attempts: made } = await call<{ attempts: Attempt[] }>("POST", base(), { provider, goal, files: files.value, device: device.value, ...budget });
  await loadAttempts();
  return made;
}

export async function wish(attempt: Attempt, what: "pause" | "resume" | "stop"): Promise<void> {
  try {
    const now = await call<Attempt>("POST", `/api/assistant/attempts/${attempt.id}/${what}`);
    attempts.value = attempts.value.map((one) => (one.id === now.id ? now : one));
  } catch (problem) {
    complain(problem);
  }
}
