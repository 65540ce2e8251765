/** The tasks the page holds. Where the server has more than fit, it searches for the plain words itself. */

import { signal } from "@preact/signals";
import type { TaskRow } from "../api";
import { api } from "../api";
import type { Load } from "../lib/load";
import { failed, LOADING, ready, valueOf } from "../lib/load";

export interface Tasks {
  tasks: TaskRow[];
  /** On the server, of those with the words that were asked for. */
  total: number;
}

export const tasks = signal<Load<Tasks>>(LOADING);

const PAUSE_MS = 150;
let asked = "";
let whole = false;
let timer: ReturnType<typeof setTimeout> | undefined;
let request = new AbortController();

export async function load(words = ""): Promise<void> {
  request.abort();
  request = new AbortController();
  const { signal: now } = request;
  asked = words;
  if (valueOf(tasks.value) === null) tasks.value = LOADING;
  try {
    const found = await api.tasks(words, now);
    if (words === "") whole = found.tasks.length === found.total;
    if (!now.aborted) tasks.value = ready(found);
  } catch (problem) {
    if (!now.aborted) tasks.value = failed(problem);
  }
}

/** Asks the server for these words once typing pauses, unless the page holds every task there is. */
export function searchFor(words: readonly string[]): void {
  const text = words.join(" ").slice(0, 200);
  clearTimeout(timer);
  if (tasks.value.status === "ready" && !whole && text !== asked) timer = setTimeout(() => void load(text), PAUSE_MS);
}
