/** What is typed and not sent. Each key goes to this browser's storage at once and to the server after a pause: neither
    another item, nor a reload, nor another browser loses it. */

import { signal } from "@preact/signals";
import { remember, remembered } from "../lib/storage";
import { reviewApi } from "./api";
import type { DraftField, Item } from "./types";

export type Fields = Partial<Record<DraftField, string>>;

export const drafts = signal<Readonly<Record<number, Fields>>>({});
export const saving = signal<"" | "saving" | "saved" | "here">("");

const PAUSE_MS = 600;
const KEY = "review.drafts";
const timers = new Map<number, ReturnType<typeof setTimeout>>();

const isKept = (value: unknown): value is Record<string, Fields> => typeof value === "object" && value !== null && !Array.isArray(value);

/** Drafts that the server has not been told of yet. */
function unsent(): Record<string, Fields> {
  return { ...remembered<Record<string, Fields>>(KEY, {}, isKept) };
}

/** An item has come: what is typed here and not sent goes before what the server keeps. */
export function restore(item: Item): void {
  const here = unsent()[item.id];
  if (timers.has(item.id)) return;
  drafts.value = { ...drafts.value, [item.id]: here ?? item.draft };
  if (here !== undefined) later(item.id);
}

export function typed(id: number, field: DraftField, text: string): void {
  const fields = { ...drafts.value[id], [field]: text };
  drafts.value = { ...drafts.value, [id]: fields };
  remember(KEY, { ...unsent(), [id]: fields });
  later(id);
}

/** It was sent as what it was meant to be: no draft any more. */
export function sent(id: number, field: DraftField): void {
  if (drafts.value[id]?.[field] === undefined) return;
  const { [field]: _, ...rest } = drafts.value[id];
  drafts.value = { ...drafts.value, [id]: rest };
  remember(KEY, { ...unsent(), [id]: rest });
  void flush(id);
}

/** Tells the server now. While it does not answer, the draft stays in this browser and is told on its return. */
export async function flush(id: number): Promise<void> {
  clearTimeout(timers.get(id));
  timers.delete(id);
  const fields = drafts.value[id] ?? {};
  saving.value = "saving";
  try {
    await reviewApi.saveDraft(id, fields);
  } catch {
    saving.value = "here";
    return;
  }
  if (drafts.value[id] !== fields && drafts.value[id] !== undefined) return;
  const { [id]: _, ...rest } = unsent();
  remember(KEY, rest);
  saving.value = "saved";
}

export function flushAll(): void {
  for (const [id, fields] of Object.entries(unsent())) {
    drafts.value = { ...drafts.value, [id]: drafts.value[Number(id)] ?? fields };
    void flush(Number(id));
  }
}

function later(id: number): void {
  clearTimeout(timers.get(id));
  timers.set(id, setTimeout(() => void flush(id), PAUSE_MS));
}
