/** What was dropped or chosen, as files with their paths. */

import type { Entry } from "./zip";

export const MOST_FILES = 4000;

/** Hidden files and Python's caches belong to no format. */
export function isWanted(path: string): boolean {
  return !path.split("/").some((part) => part.startsWith(".") || part === "__pycache__");
}

export const isArchive = (name: string): boolean => /\.(zip|tar|tgz|tar\.gz)$/i.test(name);

/** Files of an `<input webkitdirectory>`, or of one without: then their names are their paths. */
export async function ofInput(files: readonly File[]): Promise<Entry[]> {
  const wanted = files.filter((file) => isWanted(pathOf(file)));
  bound(wanted.length);
  return Promise.all(wanted.map(async (file) => ({ path: pathOf(file), content: await contentOf(file) })));
}

/** Files and folders that were dropped. Called at once: the browser forgets them after the event. */
export function ofDrop(items: DataTransferItemList): Promise<Entry[]> {
  const roots = [...items].map((item) => item.webkitGetAsEntry()).filter((one) => one !== null);
  return walk(roots);
}

async function walk(roots: readonly FileSystemEntry[]): Promise<Entry[]> {
  const found: Entry[] = [];
  const waiting = [...roots];
  for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
    const path = entry.fullPath.replace(/^\//, "");
    if (!isWanted(path)) continue;
    if (entry.isDirectory) waiting.push(...(await children(entry as FileSystemDirectoryEntry)));
    else {
      bound(found.length + 1);
      found.push({ path, content: await contentOf(await fileOf(entry as FileSystemFileEntry)) });
    }
  }
  return found;
}

/** A folder gives at most a hundred of its entries at a time. */
async function children(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

async function contentOf(file: File): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await file.arrayBuffer());
}

const pathOf = (file: File): string => file.webkitRelativePath || file.name;

function bound(count: number): void {
  if (count > MOST_FILES) throw new Error(`These are more than ${MOST_FILES.toLocaleString("en-US")} files. Larger trees are for .venv/bin/python manage.py import_graphs PATH.`);
}
