/** Whether the server answers: each request of the page says so, and while none is answered it is asked again and again. */

import { signal } from "@preact/signals";

/** Since when (ms) no request has been answered; null while they are. */
export const silentSince = signal<number | null>(null);

const ASK_MS = 2000;
const WATCH_MS = 15_000;
const asked: { timer: ReturnType<typeof setTimeout> | null } = { timer: null };
const listeners = new Set<() => void>();

/** What to do when the server answers again after it did not. */
export function onReturn(act: () => void): () => void {
  listeners.add(act);
  return () => void listeners.delete(act);
}

export function answered(): void {
  if (silentSince.value === null) return;
  silentSince.value = null;
  if (asked.timer !== null) clearTimeout(asked.timer);
  asked.timer = null;
  for (const act of listeners) act();
}

export function unanswered(): void {
  silentSince.value ??= Date.now();
  asked.timer ??= setTimeout(() => void knock(), ASK_MS);
}

async function knock(): Promise<void> {
  if (asked.timer !== null) clearTimeout(asked.timer);
  asked.timer = null;
  try {
    await fetch("/healthz", { cache: "no-store" });
  } catch {
    unanswered();
    return;
  }
  answered();
}

/** Listens to the browser's own word, and asks by itself on pages that ask for nothing while they are looked at. */
export function watchServer(ask: boolean): void {
  window.addEventListener("offline", unanswered);
  window.addEventListener("online", () => void knock());
  if (ask) setInterval(() => void (!document.hidden && asked.timer === null && knock()), WATCH_MS);
}
