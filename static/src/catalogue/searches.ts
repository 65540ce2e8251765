/** Searches that the author has given a name. Kept by the server, so that they are there on every machine. */

import { signal } from "@preact/signals";
import type { SavedSearch } from "../api";
import { api, ApiError } from "../api";
import { notify } from "../workbench/notices";

export const searches = signal<readonly SavedSearch[]>([]);
/** A visitor without an account has none and can keep none; null before the server has said. */
export const canKeep = signal<boolean | null>(null);

/** Quiet when they can not be read: the catalogue stands without them. */
export async function loadSearches(): Promise<void> {
  await attempt(() => api.searches(), true);
}

export async function keepSearch(name: string, address: string): Promise<boolean> {
  return attempt(() => api.saveSearch(name, address));
}

export async function deleteSearch(search: SavedSearch): Promise<void> {
  if (!(await attempt(() => api.deleteSearch(search.id)))) return;
  notify(`Deleted the search ${search.name}.`, { action: { label: "Undo", run: () => void keepSearch(search.name, search.address) } });
}

async function attempt(act: () => Promise<{ searches: SavedSearch[] }>, quiet = false): Promise<boolean> {
  try {
    searches.value = (await act()).searches;
    canKeep.value = true;
    return true;
  } catch (problem) {
    if (problem instanceof ApiError && problem.status === 401) canKeep.value = false;
    if (!quiet) notify(problem instanceof Error ? problem.message : String(problem), { tone: "fail" });
    return false;
  }
}
