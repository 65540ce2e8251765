/** The author's uploads, and what is being sent. */

import { signal } from "@preact/signals";
import { api, ApiError } from "../api";
import type { Load } from "../lib/load";
import { failed, LOADING, ready, valueOf } from "../lib/load";
import { remember, remembered } from "../lib/storage";
import { notify } from "../workbench/notices";
import type { Uploaded } from "./types";
import type { Entry } from "./zip";
import { zipOf } from "./zip";

export const uploads = signal<Load<Uploaded[]>>(LOADING);
/** What is on its way to the server; "" when nothing is. */
export const sending = signal("");

interface Draft {
  title: string;
  text: string;
}

const isDraft = (value: unknown): value is Draft => typeof value === "object" && value !== null && typeof (value as Draft).title === "string" && typeof (value as Draft).text === "string";

/** What is typed in the form: kept in this browser until it is replaced. */
export const draft = signal<Draft>(remembered("upload-module", { title: "", text: "" }, isDraft));

export const MOST_BYTES = 4 * 2 ** 20;
const POLL_MS = 1500;
let timer: ReturnType<typeof setTimeout> | undefined;

export const isOpen = (upload: Uploaded): boolean => upload.state === "queued" || upload.state === "running";

export async function loadUploads(): Promise<void> {
  clearTimeout(timer);
  try {
    const found = (await api.uploads()).uploads;
    uploads.value = ready(found);
    if (found.some(isOpen)) timer = setTimeout(() => void loadUploads(), POLL_MS);
  } catch (problem) {
    if (valueOf(uploads.value) === null) uploads.value = failed(problem);
    else timer = setTimeout(() => void loadUploads(), POLL_MS);
  }
}

export function setDraft(part: Partial<Draft>): void {
  draft.value = { ...draft.value, ...part };
  remember("upload-module", draft.value);
}

export async function sendEntries(entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) {
    notify("Nothing of that is a file that could be taken.", { tone: "fail" });
    return;
  }
  const name = entries[0]!.path.split("/")[0]!;
  await sendArchive(name, await zipOf(entries));
}

export async function sendArchive(name: string, archive: Blob): Promise<void> {
  if (archive.size > MOST_BYTES) {
    notify(`${name} has ${(archive.size / 2 ** 20).toFixed(1)} MB packed; 4 MB are taken. Larger trees are for .venv/bin/python manage.py import_graphs PATH.`, { tone: "fail" });
    return;
  }
  await attempt(name, () => api.uploadArchive(name, archive.type === "" ? new Blob([archive], { type: "application/zip" }) : archive));
}

export async function sendModule(): Promise<void> {
  const { title, text } = draft.value;
  if (text.trim() === "") return;
  await attempt(title || "the module", () => api.uploadModule(title, text));
}

/** Takes back the text of an upload into the form, the caret at its line. */
export async function takeText(upload: Uploaded): Promise<void> {
  try {
    const { title, text } = await api.uploadText(upload.id);
    const before = draft.value;
    setDraft({ title, text });
    if (before.text.trim() !== "" && before.text !== text) notify("The form has another text now.", { action: { label: "Undo", run: () => setDraft(before) } });
  } catch (problem) {
    notify(words(problem), { tone: "fail" });
  }
}

export async function removeTask(slug: string): Promise<void> {
  await attempt(slug, () => api.removeUploaded(slug));
}

async function attempt(what: string, act: () => Promise<unknown>): Promise<void> {
  if (sending.value !== "") return;
  sending.value = what;
  try {
    await act();
  } catch (problem) {
    // An archive that can not be read is answered as an upload that failed: it is in the list, with why.
    if (!(problem instanceof ApiError && problem.body["state"] === "failed")) notify(words(problem), { tone: "fail" });
  } finally {
    sending.value = "";
  }
  await loadUploads();
}

const words = (problem: unknown): string => (problem instanceof Error ? problem.message : String(problem));
