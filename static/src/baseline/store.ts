/** The baselines of the task in view, and the run that measures them: an own one is followed by its log. */

import { signal } from "@preact/signals";
import { api } from "../api";
import type { Load } from "../lib/load";
import { failed, LOADING, ready, valueOf } from "../lib/load";
import type { Socket } from "../run/stream";
import { RunStream } from "../run/stream";
import { notify } from "../workbench/notices";
import { socketAddress } from "../workbench/runs";
import { slug } from "../workbench/session";
import type { BaselinesOf } from "./types";
import { isOpen } from "./words";

export const baselines = signal<Load<BaselinesOf>>(LOADING);
/** The graph that is being measured now, and since when (ms); null between graphs and when nothing is known. */
export const measured = signal<{ graph: string; since: number } | null>(null);
export const asking = signal(false);

const OTHERS_MS = 5000;

let followed: string | null = null;
let stream: RunStream | null = null;

export async function loadBaselines(): Promise<void> {
  const task = slug.value;
  try {
    const found = await api.baselines(task);
    if (task !== slug.value) return;
    baselines.value = ready(found);
    const run = found.measuring?.run ?? null;
    if (!isOpen(found.measuring)) return;
    if (run !== null) follow(run);
    else setTimeout(() => void loadBaselines(), OTHERS_MS);
  } catch (problem) {
    if (valueOf(baselines.value) === null) baselines.value = failed(problem);
  }
}

export async function measureHere(): Promise<void> {
  if (asking.value) return;
  asking.value = true;
  try {
    await api.measureBaselines(slug.value);
    await loadBaselines();
  } catch (problem) {
    notify(problem instanceof Error ? problem.message : String(problem), { tone: "fail" });
  } finally {
    asking.value = false;
  }
}

export async function cancelMeasuring(): Promise<void> {
  const run = valueOf(baselines.value)?.measuring?.run ?? null;
  if (run === null) return;
  try {
    await api.cancel(run);
    await loadBaselines();
  } catch (problem) {
    notify(problem instanceof Error ? problem.message : String(problem), { tone: "fail" });
  }
}

function follow(run: string): void {
  if (followed === run) return;
  stream?.stop();
  followed = run;
  stream = new RunStream({
    events: (after) => api.events(run, after),
    open: () => new WebSocket(socketAddress(run)) as unknown as Socket,
    onEvents: (events: readonly { kind: string; payload: unknown; at: string }[]) => {
      for (const event of events) {
        if (event.kind === "graph_started") measured.value = { graph: String((event.payload as { graph?: unknown }).graph), since: Date.parse(event.at) };
        else if (event.kind === "baseline") measured.value = null;
      }
      void loadBaselines();
    },
    onState: () => undefined,
    onConnection: () => undefined,
    onEnd: () => {
      measured.value = null;
      void loadBaselines();
    },
  });
  stream.start();
}
