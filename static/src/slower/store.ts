/** What the page shows, and what is chosen on it. The server does the choosing: there may be many thousand graphs. */

import { signal } from "@preact/signals";
import { api } from "../api";
import type { Load } from "../lib/load";
import { failed, LOADING, ready } from "../lib/load";
import type { Chosen } from "./address";
import { pageQuery, readAddress, writeAddress } from "./address";
import type { SlowerPage } from "./types";

export const chosen = signal<Chosen>(readAddress(location.search));
export const page = signal<Load<SlowerPage>>(LOADING);
/** What is shown belongs to an earlier choice; the answer is on its way. */
export const waiting = signal(false);

const PAUSE_MS = 150;
let request = new AbortController();
let timer: ReturnType<typeof setTimeout> | undefined;

export async function load(): Promise<void> {
  clearTimeout(timer);
  request.abort();
  request = new AbortController();
  const { signal: now } = request;
  waiting.value = page.value.status === "ready";
  if (!waiting.value) page.value = LOADING;
  try {
    const found = await api.slower(pageQuery(chosen.value), now);
    if (!now.aborted) page.value = ready(found);
  } catch (problem) {
    if (!now.aborted) page.value = failed(problem);
  } finally {
    if (!now.aborted) waiting.value = false;
  }
}

/** Takes over a part of the choice; whatever changes the list goes back to its begin. `typing`: asks once it pauses. */
export function choose(part: Partial<Chosen>, typing = false): void {
  chosen.value = { ...chosen.value, offset: 0, ...part };
  const address = writeAddress(chosen.value);
  if (address !== location.search) history.replaceState(null, "", `${location.pathname}${address}`);
  clearTimeout(timer);
  if (typing) timer = setTimeout(() => void load(), PAUSE_MS);
  else void load();
}

/** The server is back: what could not be loaded is asked for again. */
export function recover(): void {
  if (page.value.status === "failed") void load();
}
