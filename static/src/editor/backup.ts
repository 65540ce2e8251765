/** Unsaved text in this browser, so that a crash or an outage loses nothing. One entry per account, task and tab. */

import type { Files } from "../api";
import type { Backup } from "./autosave";

export interface Kept {
  files: Files;
  version: number;
  at: number;
}

/** People may share a browser: what one of them left is not offered to another. */
function prefix(owner: string, slug: string): string {
  return `passnet.draft.${encodeURIComponent(owner)}.${slug}.`;
}

const MAX_AGE_MS = 60 * 24 * 3600 * 1000;

function tabId(): string {
  try {
    const known = sessionStorage.getItem("passnet.tab");
    if (known !== null) return known;
    const fresh = Math.random().toString(36).slice(2, 10);
    sessionStorage.setItem("passnet.tab", fresh);
    return fresh;
  } catch {
    return "tab";
  }
}

/** Storage that is full or forbidden is no reason to stop: the server still saves. */
export function browserBackup(owner: string, slug: string): Backup {
  const key = `${prefix(owner, slug)}${tabId()}`;
  return {
    write(files, version) {
      try {
        localStorage.setItem(key, JSON.stringify({ files, version, at: Date.now() } satisfies Kept));
      } catch {
        /* quota or privacy mode */
      }
    },
    clear() {
      try {
        localStorage.removeItem(key);
      } catch {
        /* privacy mode */
      }
    },
  };
}

/** The newest text kept for a task, with the key to drop it by; entries too old or unreadable are removed. */
export function newestKept(owner: string, slug: string, storage: Storage, now: number): { key: string; kept: Kept } | null {
  let newest: { key: string; kept: Kept } | null = null;
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index)).filter((key) => key?.startsWith(prefix(owner, slug)));
  for (const key of keys as string[]) {
    const kept = readKept(storage.getItem(key));
    if (kept === null || now - kept.at > MAX_AGE_MS) storage.removeItem(key);
    else if (newest === null || kept.at > newest.kept.at) newest = { key, kept };
  }
  return newest;
}

function readKept(text: string | null): Kept | null {
  try {
    const value = JSON.parse(text ?? "null") as Kept | null;
    const sound = value !== null && typeof value.version === "number" && typeof value.at === "number" && Object.values(value.files).every((file) => typeof file === "string");
    return sound ? value : null;
  } catch {
    return null;
  }
}
