/** What a file was before, so that undo goes on after the page was loaded again. Kept in this browser, small, in steps back. */

import type { Edit } from "./edits";
import { smallestEdit } from "./edits";

/** The way back from one text: edits, each of the text that the one before it gave; the newest first. */
export interface Past {
  /** Of the text that the first edit is about. */
  length: number;
  hash: number;
  back: Edit[];
}

export const STEPS = 100;
/** Characters of all steps of a file together. */
export const MOST_TEXT = 60_000;
const TASKS = 20;

/** The past of `after`, whose text was `before` until now; the oldest steps go where there are too many. */
export function noted(past: Past | null, before: string, after: string): Past {
  const step = smallestEdit(after, before);
  const known = past !== null && isOf(past, before) ? past.back : [];
  const back: Edit[] = [];
  let size = 0;
  for (const edit of step === null ? known : [step, ...known]) {
    size += edit.text.length;
    if (back.length === STEPS || size > MOST_TEXT) break;
    back.push(edit);
  }
  return { length: after.length, hash: hashOf(after), back };
}

/** The texts from the oldest that is known to `text`; that alone where the past is another text's. */
export function texts(past: Past | null, text: string): string[] {
  const found = [text];
  if (past === null || !isOf(past, text)) return found;
  for (const { start, end, text: old } of past.back) {
    const now = found[0]!;
    if (!(0 <= start && start <= end && end <= now.length)) break;
    found.unshift(now.slice(0, start) + old + now.slice(end));
  }
  return found;
}

function isOf(past: Past, text: string): boolean {
  return past.length === text.length && past.hash === hashOf(text);
}

/** Only tells apart what one person wrote: FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

const PREFIX = "passnet.past.";

/** The pasts of one person's files of one task. People may share a browser. */
export class Pasts {
  private readonly key: string;
  private readonly files: Record<string, Past>;

  constructor(owner: string, slug: string, private readonly storage: Storage) {
    this.key = `${PREFIX}${encodeURIComponent(owner)}.${slug}`;
    this.files = read(storage, this.key)?.files ?? {};
  }

  of(name: string): Past | null {
    return Object.hasOwn(this.files, name) ? this.files[name]! : null;
  }

  /** Storage that is full or forbidden is no reason to stop: undo then ends with the page. */
  keep(name: string, past: Past, now: number): void {
    this.files[name] = past;
    try {
      this.storage.setItem(this.key, JSON.stringify({ at: now, files: this.files }));
      forgetOld(this.storage);
    } catch {
      /* quota or privacy mode */
    }
  }
}

function forgetOld(storage: Storage): void {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index)!).filter((key) => key.startsWith(PREFIX));
  if (keys.length <= TASKS) return;
  const byAge = keys.map((key) => ({ key, at: read(storage, key)?.at ?? 0 })).sort((a, b) => b.at - a.at);
  for (const { key } of byAge.slice(TASKS)) storage.removeItem(key);
}

function read(storage: Storage, key: string): { at: number; files: Record<string, Past> } | null {
  try {
    const value = JSON.parse(storage.getItem(key) ?? "null") as { at: number; files: Record<string, Past> } | null;
    if (value === null || typeof value.at !== "number") return null;
    return Object.values(value.files).every(isPast) ? value : null;
  } catch {
    return null;
  }
}

function isPast(value: Past): boolean {
  const isEdit = (edit: Edit): boolean => Number.isInteger(edit.start) && Number.isInteger(edit.end) && typeof edit.text === "string";
  return typeof value.length === "number" && typeof value.hash === "number" && Array.isArray(value.back) && value.back.every(isEdit);
}
