/** Runs of this task: the one that is shown, its live log, the history, and the devices to run on. */

import { computed, signal } from "@preact/signals";
import type { Device, Files, HistoryPoint, RunInfo, RunSummary } from "../api";
import { api, ApiError } from "../api";
import type { RunEvent } from "../events";
import type { Load } from "../lib/load";
import { failed, LOADING, ready } from "../lib/load";
import { isString, remember, remembered } from "../lib/storage";
import { reduce } from "../run/reducer";
import type { Connection, Socket } from "../run/stream";
import { RunStream } from "../run/stream";
import type { RunView } from "../run/view";
import { emptyRun } from "../run/view";
import { isFinal } from "../vocabulary";
import { sameFiles } from "../editor/edits";
import { currentHash, draft, files, flushDraft, submitted } from "./draft";
import { batched } from "./frames";
import { notify } from "./notices";
import { graphNames, slug } from "./session";

export interface ShownRun {
  id: string;
  info: RunInfo | null;
  view: RunView;
  filesHash: string | null;
  connection: Connection;
  problem: string | null;
}

export const shown = signal<ShownRun | null>(null);
export const starting = signal(false);
/** Why the files were not taken by the last press of Run; it is about these files and no others. */
const refusal = signal<{ message: string; files: Files } | null>(null);
export const refused = computed(() => (refusal.value !== null && sameFiles(refusal.value.files, files.value) ? refusal.value.message : null));
export const history = signal<Load<RunSummary[]>>(LOADING);
/** Runs that ship with the task, measured elsewhere. */
export const examples = signal<RunSummary[]>([]);
export const points = signal<HistoryPoint[]>([]);
export const devices = signal<Device[] | null>(null);
export const chosenDevice = signal(remembered("device", "cpu", isString));

/** A run that can not be shown is nobody's to wait for. */
export const active = computed(() => shown.value !== null && shown.value.problem === null && !isFinal(shown.value.view.state ?? shown.value.info?.state ?? null));
/** True when the shown result belongs to other code than the editor holds. A shipped example never claims to be about it. */
export const stale = computed(() => {
  if (shown.value?.info?.imported?.kind === "example") return false;
  const hash = shown.value?.filesHash ?? null;
  return hash !== null && draft.value.status === "ready" && hash !== currentHash.value;
});
export const device = computed(() => {
  const all = devices.value;
  if (all === null || all.some((entry) => entry.device === chosenDevice.value)) return chosenDevice.value;
  return all[0]?.device ?? chosenDevice.value;
});

let stream: RunStream | null = null;

export function chooseDevice(name: string): void {
  chosenDevice.value = name;
  remember("device", name);
}

export async function startRun(): Promise<void> {
  if (starting.value || active.value) return;
  starting.value = true;
  const sent = files.value;
  refusal.value = null;
  try {
    const { run, revision } = await api.startRun(slug.value, sent, device.value);
    submitted.value = { files: sent, hash: revision };
    showRun(run, revision);
    void flushDraft();
    void loadHistory();
  } catch (problem) {
    refusal.value = { message: problem instanceof Error ? problem.message : String(problem), files: sent };
  } finally {
    starting.value = false;
  }
}

export async function cancelRun(): Promise<void> {
  const id = shown.value?.id;
  if (id === undefined || !active.value) return;
  try {
    await api.cancel(id);
  } catch (problem) {
    notify(problem instanceof Error ? problem.message : String(problem), { tone: "fail" });
  }
}

/** Overturns the verdict of a run; returns why it was refused, null when it was done. */
export async function reviewRun(id: string, verdict: string, reason: string): Promise<string | null> {
  try {
    await api.review(id, verdict, reason);
  } catch (problem) {
    return problem instanceof Error ? problem.message : String(problem);
  }
  const info = await api.run(id).catch(() => null);
  if (info !== null && shown.value?.id === id) shown.value = { ...shown.value, info };
  void loadHistory();
  return null;
}

/** Shows a run from its log, from the first row on, whether it goes on or ended long ago. */
export function showRun(id: string, filesHash: string | null = null): void {
  if (shown.value?.id === id) return;
  stream?.stop();
  shown.value = { id, info: null, view: emptyRun(graphNames.value), filesHash, connection: "connecting", problem: null };
  const mine = (update: (run: ShownRun) => Partial<ShownRun>): void => {
    const run = shown.value;
    if (run?.id === id) shown.value = { ...run, ...update(run) };
  };
  const push = batched<(view: RunView) => RunView>((steps) => mine((run) => ({ view: steps.reduce((view, step) => step(view), run.view) })));
  stream = new RunStream({
    events: (after) => api.events(id, after),
    open: () => new WebSocket(socketAddress(id)) as unknown as Socket,
    onEvents: (events: RunEvent[]) => push([(view) => reduce(view, events)]),
    onState: (state) => push([(view) => (view.state === state ? view : { ...view, state })]),
    onConnection: (connection) => mine(() => ({ connection })),
    onEnd: () => {
      void loadInfo(id, mine);
      void loadHistory();
      setTimeout(() => void loadDevices(), DEVICE_FREE_MS);
    },
  });
  stream.start();
  void followInfo(id, mine);
}

type Update = (update: (run: ShownRun) => Partial<ShownRun>) => void;

async function loadInfo(id: string, mine: Update): Promise<RunInfo | null> {
  try {
    const info = await api.run(id);
    mine(() => ({ info, filesHash: info.files_hash, problem: null }));
    return info;
  } catch (problem) {
    if (problem instanceof ApiError && problem.status === 404) {
      stream?.stop();
      mine(() => ({ problem: problem.message, connection: "closed" }));
    }
    return null;
  }
}

const QUEUE_MS = 2000;
/** A worker is free again a moment after the last event of a run. */
const DEVICE_FREE_MS = 700;

/** The place in the queue is not in the log: asked for while it waits. */
async function followInfo(id: string, mine: Update): Promise<void> {
  const info = await loadInfo(id, mine);
  const run = shown.value;
  if (run?.id !== id || run.problem !== null) return;
  if (info === null || info.state === "queued" || info.state === "leased") setTimeout(() => void followInfo(id, mine), QUEUE_MS);
}

export function socketAddress(id: string): string {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/runs/${encodeURIComponent(id)}`;
}

export async function loadHistory(): Promise<RunSummary[]> {
  try {
    const { runs, examples: shipped } = await api.runs(slug.value);
    history.value = ready(runs);
    examples.value = shipped;
    if (runs.length > 0) void loadPoints();
    return runs;
  } catch (problem) {
    if (history.value.status !== "ready") history.value = failed(problem);
    return [];
  }
}

async function loadPoints(): Promise<void> {
  try {
    points.value = (await api.history(slug.value)).points;
  } catch {
    /* the list stands without its chart; the next run asks again */
  }
}

/** The run named in the address, else the newest of this author: a reload goes on where it was. Returns how many there are to see. */
export async function resume(wanted: string | null): Promise<number> {
  if (wanted !== null) showRun(wanted);
  const runs = await loadHistory();
  const newest = runs[0];
  if (wanted === null && newest !== undefined && shown.value === null) showRun(newest.run, newest.revision);
  return runs.length + (wanted === null ? 0 : 1);
}

const DEVICES_MS = 5000;

export async function loadDevices(): Promise<void> {
  try {
    devices.value = (await api.devices()).devices;
  } catch {
    /* shown as it was; the next question may be answered */
  }
}

export async function followDevices(): Promise<void> {
  if (!document.hidden || devices.value === null) await loadDevices();
  setTimeout(() => void followDevices(), DEVICES_MS);
}

/** The network or the tab is back. */
export function wake(): void {
  stream?.nudge();
}
