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
/** Tasks that the page holds at most: facets and conditions are about these. The server gives them in parts. */
const MOST = 2000;
const LOOK_MS = 20_000;
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
    let found: Tasks = await api.tasks(words, now);
    if (!now.aborted) tasks.value = ready(found);
    for (let at = found.tasks.length; !now.aborted && at < Math.min(found.total, MOST); ) {
      const more = await api.tasks(words, now, at);
      if (more.tasks.length === 0) break; // some have been removed meanwhile
      at += more.tasks.length;
      const known = new Set(found.tasks.map((task) => task.slug)); // some may have come, and moved the others on
      found = { tasks: [...found.tasks, ...more.tasks.filter((task) => !known.has(task.slug))], total: more.total };
      if (!now.aborted) tasks.value = ready(found);
    }
    if (words === "" && !now.aborted) whole = found.tasks.length >= found.total;
  } catch (problem) {
    if (!now.aborted) tasks.value = failed(problem);
  }
}

/** Tasks that came meanwhile, as the captured ones do after the first start, are shown. Returns what ends the looking. */
export function watchForMore(): () => void {
  const look = async (): Promise<void> => {
    const shown = valueOf(tasks.value);
    if (document.hidden || shown === null) return;
    const { total } = await api.tasks(asked, undefined, 0, 1);
    if (total !== shown.total && shown === valueOf(tasks.value)) await load(asked);
  };
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS); // a server that is away is told of elsewhere
  return () => clearInterval(timer);
}

/** Asks the server for these words once typing pauses, unless the page holds every task there is. */
export function searchFor(words: readonly string[]): void {
  const text = words.join(" ").slice(0, 200);
  clearTimeout(timer);
  if (tasks.value.status === "ready" && !whole && text !== asked) timer = setTimeout(() => void load(text), PAUSE_MS);
}
