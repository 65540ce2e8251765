/** Two runs pinned for a comparison, and their logs, read once. */

import { signal } from "@preact/signals";
import { api } from "../api";
import type { RunEvent } from "../events";
import type { Load } from "../lib/load";
import { failed, LOADING, ready } from "../lib/load";
import { reduce } from "./reducer";
import type { RunView } from "./view";
import { emptyRun } from "./view";

export const pins = signal<readonly string[]>([]);
export const pinned = signal<Readonly<Record<string, Load<RunView>>>>({});

/** Pins a run or takes its pin away; a third one takes the place of the first. */
export function togglePin(run: string): void {
  openPins(pins.value.includes(run) ? pins.value.filter((one) => one !== run) : [...pins.value, run].slice(-2));
}

export function openPins(runs: readonly string[]): void {
  pins.value = runs;
  for (const run of runs) void load(run);
}

async function load(run: string): Promise<void> {
  const known = pinned.value[run];
  if (known !== undefined && known.status !== "failed") return;
  pinned.value = { ...pinned.value, [run]: LOADING };
  try {
    let view = emptyRun([]);
    for (let after = 0; ; ) {
      const page = await api.events(run, after);
      if (page.events.length === 0) break;
      after = page.events.at(-1)!.seq;
      view = reduce(view, page.events.filter(isTold));
    }
    pinned.value = { ...pinned.value, [run]: ready(view) };
  } catch (problem) {
    pinned.value = { ...pinned.value, [run]: failed(problem) };
  }
}

/** What a program printed is no part of a comparison. */
function isTold(event: RunEvent): boolean {
  return event.kind !== "log";
}
